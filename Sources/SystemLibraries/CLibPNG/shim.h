// Gives CImageCodecs the paths and the link of libpng; nothing imports it.
