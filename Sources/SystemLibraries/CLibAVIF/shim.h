// Gives CImageCodecs the paths and the link of libavif; nothing imports it.
