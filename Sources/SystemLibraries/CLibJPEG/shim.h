// Gives CImageCodecs the paths and the link of libjpeg-turbo; nothing imports it.
