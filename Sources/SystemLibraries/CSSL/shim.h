// Gives CTLS the paths and the link of OpenSSL; nothing imports it.
