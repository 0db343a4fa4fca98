public import ImageModel

/// The codecs of this process: those built in, then those that were registered.
enum CodecList {
  /// The one list of formats that are built in. Adding a format touches its folder, its C code and
  /// this line.
  static let builtIn: [any ImageCodec] = {
    var codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec(), GIFCodec(), WebPCodec()]
    #if AVIF
      codecs.append(AVIFCodec())
    #endif
    return codecs
  }()

  private static let registered = Locked<[any ImageCodec]>(builtIn)

  static var all: [any ImageCodec] { registered.withLock { $0 } }

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

  /// The formats that can be decoded.
  public static var decodableFormats: [ImageFormat] { CodecList.all.map(\.format) }

  /// The formats that can be encoded.
  public static var encodableFormats: [ImageFormat] {
    CodecList.all.filter { $0.encoding != nil }.map(\.format)
  }

  /// Returns the format with a name, such as `webp` or `jpg`; `nil` for one that cannot be encoded.
  public static func encodableFormat(named name: String) -> ImageFormat? {
    let format = ImageFormat(rawValue: name == "jpg" ? "jpeg" : name)
    return encodingTraits(of: format) == nil ? nil : format
  }

  /// The features of files of a format; `nil` if it cannot be encoded.
  public static func encodingTraits(of format: ImageFormat) -> EncodingTraits? {
    CodecList.all.first { $0.format == format }?.encoding
  }

  /// The codec of a format; the error names the formats that there are.
  static func codec(for format: ImageFormat) throws(ImageError) -> any ImageCodec {
    if let codec = CodecList.all.first(where: { $0.format == format }) { return codec }
    throw ImageError(
      .unsupportedFormat,
      "\(format.displayName) cannot be read"
        + (format == .avif ? " without the package trait AVIF; " : "; ")
        + "\(enumeration(of: decodableFormats)) can")
  }

  /// The codec of a format that can be encoded, and the features of its files.
  static func encoder(
    of format: ImageFormat
  ) throws(ImageError) -> (codec: any ImageCodec, traits: EncodingTraits) {
    let codec = CodecList.all.first { $0.format == format }
    if let codec, let traits = codec.encoding { return (codec, traits) }
    throw ImageError(
      .unsupportedFormat,
      "\(format.displayName) cannot be written; \(enumeration(of: encodableFormats)) can")
  }

  private static func enumeration(of formats: [ImageFormat]) -> String {
    let names = formats.map(\.displayName)
    return names.dropLast().joined(separator: ", ") + " and \(names.last ?? "no format")"
  }
}
