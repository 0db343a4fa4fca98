public import ImageModel

/// The file names of an export, without their extensions.
public struct ExportNames: Sendable, Hashable {
  enum Placeholder: String, CaseIterable {
    case title, name, day, date, role, id, n, host, author
  }

  private enum Part: Hashable {
    case text(String)
    case placeholder(Placeholder)
  }

  /// The names of ``standard``: not made from a template.
  private let parts: [Part]?

  /// `{role}-{id}-{n}`, with any character but ASCII letters, digits, `-` and `_` replaced.
  public static let standard = ExportNames()

  private init() { parts = nil }

  /// Reads a template such as `{day} {title} {n}`.
  ///
  /// Placeholders: `{title}`, `{author}`, `{id}` and `{date}` of the story, `{name}` and `{host}` of
  /// the image's URL, `{role}` (`story`, `top` or `body`), `{n}` (the place among the images of that
  /// role, from 0) and `{day}` (`YYYYMMDD`). Names are safe on ext4, NTFS, FAT and APFS, at most 200
  /// bytes; long values are shortened between characters.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an empty template, an unknown
  ///   placeholder, a brace without its partner, or a slash or backslash.
  public init(_ template: String) throws(ImageError) {
    func failure(_ reason: String) -> ImageError {
      let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
      return ImageError(
        .invalidArgument, "\(reason) in the template of names \"\(template)\"; it can have \(known)"
      )
    }
    guard !template.isEmpty else { throw failure("nothing is") }
    guard !template.contains(where: { $0 == "/" || $0 == "\\" }) else {
      throw failure("a slash, but images have no folders below that of their day,")
    }
    var parts: [Part] = []
    var rest = template[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      parts.append(.text(String(rest[..<brace])))
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw failure("a brace without its partner is")
      }
      let name = rest[rest.index(after: brace)..<end]
      guard let placeholder = Placeholder(rawValue: String(name)) else {
        throw failure("the unknown placeholder {\(name)} is")
      }
      parts.append(.placeholder(placeholder))
      rest = rest[rest.index(after: end)...]
    }
    parts.append(.text(String(rest)))
    self.parts = parts
  }

  func stem(of image: FeedImage, in story: ExportIndex.Story?, day: DayKey) -> String {
    let standard = "\(image.role.shortName)-\(Self.safe(image.storyID))-\(image.index)"
    guard let parts else { return standard }
    let values = parts.map { part in
      switch part {
      case .text(let text): FileName.Part(text, isFixed: true)
      case .placeholder(let placeholder):
        FileName.Part(value(of: placeholder, image, story, day), isFixed: false)
      }
    }
    return FileName.joined(values) ?? standard
  }

  private func value(
    of placeholder: Placeholder, _ image: FeedImage, _ story: ExportIndex.Story?, _ day: DayKey
  ) -> String {
    switch placeholder {
    case .title: story?.title ?? image.storyID
    case .author: story?.author?.split(separator: " · ").first.map(String.init) ?? ""
    case .id: image.storyID
    case .n: String(image.index)
    case .role: image.role.shortName
    case .day: day.description
    case .date: story?.date ?? day.dashed
    case .host: WebURL(image.url)?.host ?? ""
    case .name: FileName.name(of: image.url)
    }
  }

  /// An identifier as part of a file name: letters, digits, `_` and `-` stay, anything else becomes
  /// `_`, and a checksum then keeps two identifiers apart that would look alike.
  private static func safe(_ identifier: String) -> String {
    let plain = String(
      identifier.prefix(80).map {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_"
      })
    guard plain != identifier else { return plain }
    let checksum = Array(identifier.utf8).withUnsafeBytes { CRC32C.checksum(of: $0) }
    return plain + "_" + String(checksum, radix: 16)
  }
}
