// Gives CColor the paths and the link of Little CMS; nothing imports it.
