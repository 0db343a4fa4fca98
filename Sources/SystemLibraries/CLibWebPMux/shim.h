// Gives CImageCodecs the paths and the link of libwebpmux; nothing imports it.
