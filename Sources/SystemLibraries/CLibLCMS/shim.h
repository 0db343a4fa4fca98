// Gives CImageCodecs the paths and the link of Little CMS; nothing imports it.
