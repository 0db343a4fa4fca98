// Gives CCurl the paths and the link of libcurl; nothing imports it.
