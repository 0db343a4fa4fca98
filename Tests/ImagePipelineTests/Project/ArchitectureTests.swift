import Foundation
import Testing

/// Reads the sources and holds them to the floors of the Architecture page: arrows point down only, and each
/// C library and framework has one door.
@Suite struct `Architecture` {
  /// The folders of the target `ImagePipeline`, lowest floor first; folders of one floor are siblings.
  static let floors: [[String]] = [
    ["Model"],
    [
      "Coalescing", "Caching/Memory", "Caching/Disk", "Caching/Policy", "Caching/HTTP", "Fetching",
      "Codecs", "Processing",
    ],
    ["Request"],
    ["Pipeline"],
  ]

  /// Folders within a floor that may lean on a neighbour, with the reason.
  static let allowed: [String: Set<String>] = [
    // Eviction is chosen by a policy, and a record's freshness is judged by the rules of HTTP.
    "Caching/Memory": ["Caching/Policy"],
    "Caching/Disk": ["Caching/Policy", "Caching/HTTP"],
    // A processor is pixels in, pixels out; a codec may scale and compose on the way.
    "Codecs": ["Processing"],
  ]

  @Test func `no folder names the types of a folder above it or beside it`() throws {
    let sources = try SourceTree(under: "Sources/ImagePipeline")
    let known = Set(Self.floors.joined())
    var offences: [String] = []

    for file in sources.files {
      guard let folder = known.first(where: { file.path.hasPrefix("Sources/ImagePipeline/\($0)/") })
      else {
        offences.append("\(file.path) is in no folder of the floors")
        continue
      }
      let floor = try #require(Self.floors.firstIndex { $0.contains(folder) })
      let forbidden = Self.floors[floor...].joined()
        .filter { $0 != folder && !(Self.allowed[folder] ?? []).contains($0) }
      for other in forbidden {
        for name in sources.types(in: "Sources/ImagePipeline/\(other)/") where file.names(name) {
          offences.append("\(file.path) names \(name) of \(other)")
        }
      }
    }

    #expect(!sources.files.isEmpty)
    #expect(offences == [])
  }

  @Test func `each C library is opened by one file`() throws {
    let sources = try SourceTree(under: "Sources")
    let doors = [
      "CSQLite", "CXML2", "CCrypto", "CCurl", "CImageCodecs", "CZlib", "Yams",
    ]

    for module in doors {
      let users = sources.files.filter { $0.imports(module) }.map(\.path)
      #expect(users.count == 1, "\(module) is imported by \(users)")
    }
    for header in ["jpeglib.h", "png.h", "gif_lib.h", "curl/curl.h"] {
      let users = sources.files.filter { $0.code.contains("#include <\(header)>") }.map(\.path)
      #expect(users.count == 1, "<\(header)> is included by \(users)")
    }
  }

  @Test func `each framework stays inside one target`() throws {
    let sources = try SourceTree(under: "Sources")

    // swift-log is the word that libraries pass among themselves: Hummingbird's interface has it, too.
    for framework in ["ArgumentParser", "Hummingbird", "NIOCore", "CoreMetrics"] {
      let targets = Set(
        sources.files.filter { $0.imports(framework) }
          .map { $0.path.split(separator: "/")[1] })
      #expect(targets.count == 1, "\(framework) is imported by \(targets)")
    }
  }

  @Test func `how the page behaves is known without a document, a clock or a network`() throws {
    let model = try #require(
      try SourceTree(under: "Sources/ThumbnailServer/Reader/Page", endings: [".js"]).files
        .first { $0.path.hasSuffix("/model.js") })

    for name in ["document", "window", "fetch", "performance", "setTimeout", "localStorage"] {
      #expect(!model.names(name), "\(model.path) names \(name)")
    }
    #expect(!model.code.contains("Date.now"))
    #expect(model.names("PullRefresh"))
  }

  @Test func `no source traps on input, silences the compiler or leaves work for later`() throws {
    let sources = try SourceTree(under: "Sources")
    let traces = [
      "@unchecked " + "Sendable", "nonisolated" + "(unsafe)", "try" + "!", "as" + "! ",
      "fatal" + "Error(", "TO" + "DO", "FIX" + "ME",
    ]
    // The lanes of the memory tier: objects would cost more to count than a hit costs (see MemoryLane).
    let excused = ["Sources/ImagePipeline/Caching/Memory/MemoryStore.swift": traces[1]]

    for file in sources.files {
      for trace in traces where excused[file.path] != trace {
        #expect(!file.text.contains(trace), "\(file.path) contains \(trace)")
      }
    }
  }

  @Test func `no source file is longer than five hundred lines`() throws {
    for file in try SourceTree(under: "Sources").files {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 500, "\(file.path) has \(lines) lines")
    }
  }
}

/// The source files under a folder, with comments and strings taken out of the code.
struct SourceTree {
  struct File {
    let path: String
    let text: String
    let code: String
    private let words: Set<Substring>

    init(path: String, text: String) {
      self.path = path
      self.text = text
      code = Self.withoutComments(text)
      words = Set(
        Self.withoutStrings(code).split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }

    func names(_ type: String) -> Bool { words.contains(type[...]) }

    func imports(_ module: String) -> Bool {
      code.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        return words.dropLast().last == "import" && words.last == module[...]
      }
    }

    private static func withoutComments(_ text: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line[...] }
        .joined(separator: "\n")
    }

    private static func withoutStrings(_ code: String) -> String {
      code.replacing(/"(?:[^"\\\n]|\\.)*"/, with: "\"\"")
    }
  }

  let files: [File]

  init(under folder: String, endings: [String] = [".swift", ".c", ".h"]) throws {
    let root = SharedFixtures.packageRoot
    let enumerator = try #require(
      FileManager.default.enumerator(atPath: root.appending(path: folder).path))
    files = try enumerator.compactMap { $0 as? String }.sorted()
      .filter { name in endings.contains { name.hasSuffix($0) } }
      .map { name in
        let path = folder + "/" + name
        return File(
          path: path,
          text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
      }
  }

  /// The types declared at the top level of the files in a folder.
  func types(in folder: String) -> Set<String> {
    var names: Set<String> = []
    for file in files where file.path.hasPrefix(folder) {
      for match in file.code.matches(of: declaration) {
        names.insert(String(match.1))
      }
    }
    return names
  }

  private var declaration: Regex<(Substring, Substring)> {
    /(?m)^(?:public |internal |package |final |indirect |@\w+ )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/
      .anchorsMatchLineEndings()
  }
}
