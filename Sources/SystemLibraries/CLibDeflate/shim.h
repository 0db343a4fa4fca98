// Gives CImageCodecs the paths and the link of libdeflate; nothing imports it.
