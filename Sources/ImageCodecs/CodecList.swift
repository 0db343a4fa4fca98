public import ImageModel

/// The codecs of this process: those built in, then those that were registered.
enum CodecList {
  /// The one list of formats that are built in. Adding a format touches its folder, its C code and
  /// this line.
  static let builtIn: [any ImageCodec] = [
    JPEGCodec(), PNGCodec(), GIFCodec(), WebPCodec(), AVIFCodec(), HEICCodec(),
  ]

  private static let registered = Locked<[any ImageCodec]>(builtIn)

  static var all: [any ImageCodec] { registered.withLock { $0 } }

  /// Those whose libraries are on the machine.
  static var usable: [any ImageCodec] { all.filter { $0.missingLibrary == nil } }

  static func register(_ codec: any ImageCodec) {
    registered.withLock { codecs in
      codecs.removeAll { $0.format == codec.format }
      codecs.append(codec)
    }
  }
}

extension ImageCodecs {
  /// Adds a codec for the whole process, or replaces the one for its format.
  ///
  /// Register codecs before the first image is loaded: what is in a cache already was checked
  /// without them.
  public static func register(_ codec: any ImageCodec) { CodecList.register(codec) }

  /// The formats that can be decoded. AVIF and HEIC are among them where their libraries are on the
  /// machine.
  public static var decodableFormats: [ImageFormat] { CodecList.usable.map(\.format) }

  /// The formats that can be encoded. AVIF is among them where its library is on the machine.
  public static var encodableFormats: [ImageFormat] {
    CodecList.usable.filter { $0.encoding != nil }.map(\.format)
  }

  /// Returns the format with a name, such as `webp` or `jpg`; `nil` for one that is never encoded.
  public static func encodableFormat(named name: String) -> ImageFormat? {
    let format = ImageFormat(rawValue: name == "jpg" ? "jpeg" : name)
    return encodingTraits(of: format) == nil ? nil : format
  }

  /// The features of files of a format; `nil` if it is never encoded. Those of AVIF are the same
  /// where its library is missing.
  public static func encodingTraits(of format: ImageFormat) -> EncodingTraits? {
    CodecList.all.first { $0.format == format }?.encoding
  }

  /// The codec of a format; the error names the formats that there are.
  static func codec(for format: ImageFormat) throws(ImageError) -> any ImageCodec {
    guard let codec = CodecList.all.first(where: { $0.format == format }) else {
      throw ImageError(
        .unsupportedFormat,
        "\(format.displayName) cannot be read; \(enumeration(of: decodableFormats)) can")
    }
    return try usable(codec)
  }

  /// The codec of a format that can be encoded, and the features of its files.
  static func encoder(
    of format: ImageFormat
  ) throws(ImageError) -> (codec: any ImageCodec, traits: EncodingTraits) {
    let codec = CodecList.all.first { $0.format == format }
    guard let codec, let traits = codec.encoding else {
      throw ImageError(
        .unsupportedFormat,
        "\(format.displayName) cannot be written; \(enumeration(of: encodableFormats)) can")
    }
    return (try usable(codec), traits)
  }

  private static func usable(_ codec: any ImageCodec) throws(ImageError) -> any ImageCodec {
    guard let library = codec.missingLibrary else { return codec }
    throw ImageError(
      .unsupportedFormat,
      "\(codec.format.displayName) needs \(library) or later, here and when the program was built")
  }

  private static func enumeration(of formats: [ImageFormat]) -> String {
    let names = formats.map(\.displayName)
    return names.dropLast().joined(separator: ", ") + " and \(names.last ?? "no format")"
  }
}
