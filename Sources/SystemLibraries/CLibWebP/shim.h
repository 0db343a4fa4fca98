// Gives CImageCodecs the paths and the link of libwebp; nothing imports it.
