import Foundation
import Testing
@testable import TestSupport

/// Checks in the sources what the compiler does not: folders of a target do not depend on each
/// other in a circle, and each C library and framework is imported in one place.
@Suite struct `Architecture` {
  /// The folders of the command line, lowest layer first: values as text, the process and its
  /// terminal, messages and files, options, the session they open, images as inputs and files, a
  /// folder for each group of commands, and the root command.
  static let commandLayers: [[String]] = [
    ["Text"], ["Terminal"], ["Output"], ["Settings", "Options"], ["Session"], ["Images"],
    ["Fetching", "Reading", "Sheet", "Serving", "Keeping", "Simulating"], ["."],
  ]

  /// The folder of a target that a file is in.
  private func folder(_ file: SourceTree.File) -> String {
    file.path.split(separator: "/").dropFirst(2).dropLast().first.map(String.init) ?? "."
  }

  @Test(.isLong) func `a folder of the command line uses only types of lower layers`() throws {
    let sources = try SourceTree(under: "Sources/imgcache")
    var offences: [String] = []

    for file in sources.files {
      let layer = try #require(
        Self.commandLayers.firstIndex { $0.contains(folder(file)) }, "\(file.path) has no layer")
      let upper = Set(Self.commandLayers[layer...].joined()).subtracting([folder(file)])
      for other in sources.files where upper.contains(folder(other)) {
        for name in sources.types(in: other.path) where file.names(name) {
          offences.append("\(file.path) names \(name) of \(other.path)")
        }
      }
    }

    #expect(sources.files.count > 50)
    #expect(offences == [])
  }

  @Test(arguments: [
    "CachePolicies", "CacheSimulation", "CachingProxy", "HTTPListening", "ImageCodecs",
    "DiskCaching", "HTTPCaching", "ImageFeeds", "ImageFetching", "ImageModel", "ImagePipeline",
    "RedisClustering", "SampleFeed", "ThumbnailServer", "imgcache",
  ])
  func `no two folders of a target depend on each other`(target: String) throws {
    let sources = try SourceTree(under: "Sources/\(target)")
    let files = Dictionary(grouping: sources.files, by: folder)
    let types = files.mapValues {
      $0.reduce(into: Set()) { $0.formUnion(sources.types(in: $1.path)) }
    }
    var uses = files.mapValues { _ in Set<String>() }
    for (user, files) in files {
      for (folder, names) in types where folder != user {
        if files.contains(where: { names.contains(where: $0.names) }) {
          uses[user, default: []].insert(folder)
        }
      }
    }

    // Folders without dependencies are removed until only cycles are left.
    var removed: Set<String> = []
    while let next = uses.first(where: { $0.value.isSubset(of: removed) })?.key {
      uses[next] = nil
      removed.insert(next)
    }

    #expect(removed.count > 1)
    #expect(uses == [:])
  }

  @Test func `each C library is imported by one file`() throws {
    let sources = try SourceTree.all()
    for module in [
      "CMarkup", "CImageCodecs", "CImageColor", "CImageKernels", "CImageAVIF", "CImageHEIF",
      "CCrypto", "CCurl", "CZlib", "CYAML", "CTLS", "CMinizip",
    ] {
      let users = sources.files.filter { $0.imports(module) }.map(\.path)
      #expect(users.count == 1, "\(module) is imported by \(users)")
    }
    for header in [
      "jpeglib.h", "png.h", "libdeflate.h", "gif_lib.h", "libheif/heif.h", "curl/curl.h",
      "openssl/ssl.h",
    ] {
      let users = sources.files.filter { $0.code.contains("#include <\(header)>") }.map(\.path)
      #expect(users.count == 1, "<\(header)> is included by \(users)")
    }
  }

  @Test func `each framework is imported only by its own targets`() throws {
    let sources = try SourceTree.all()
    let users: [String: Set<String>] = [
      "ArgumentParser": ["imgcache"], "Logging": ["ImagePipeline"],
      "NIOCore": [
        "HTTPListening", "CachingProxy", "ThumbnailServer", "RedisClustering", "SharedCaching",
      ],
      "CoreMetrics": ["ImagePipeline", "HTTPListening"], "Metrics": [],
      "Tracing": ["ImagePipeline", "HTTPListening"],
      "ServiceLifecycle": ["ImagePipelineServices"],
    ]

    for (framework, expected) in users {
      let targets = Set(
        sources.files.filter { $0.imports(framework) }
          .map { String($0.path.split(separator: "/")[1]) })
      #expect(targets == expected, "\(framework) is imported by \(targets)")
    }
  }

  @Test func `FoundationEssentials is imported only behind canImport`() throws {
    let sources = try SourceTree.all()
    // macOS has only Foundation.
    let guarded = """
      #if canImport(FoundationEssentials)
        import FoundationEssentials
      #else
        import Foundation
      #endif
      """
    let users = sources.files.filter { $0.imports("FoundationEssentials") }

    #expect(users.count > 20)
    for file in users {
      let count = file.text.split(separator: "\n").count {
        $0.hasSuffix("import FoundationEssentials")
      }
      let plain = file.text.replacing(/(?:@_exported )?(?:public |package )?import/, with: "import")
      #expect(count == 1 && plain.contains(guarded), "\(file.path) imports it unguarded")
    }
  }

  @Test func `the models of the page use no document, clock or network`() throws {
    let modules = try SourceTree(under: "Sources/ThumbnailServer/Reader/Page", endings: [".js"])
      .files.filter { file in
        ["model", "month", "words", "zoom"].contains { file.path.hasSuffix("/\($0).js") }
      }

    #expect(modules.count == 4)
    for module in modules {
      for name in ["document", "window", "fetch", "performance", "setTimeout", "localStorage"] {
        #expect(!module.names(name), "\(module.path) names \(name)")
      }
      #expect(!module.code.contains("Date.now"))
    }
    #expect(modules.contains { $0.names("PullRefresh") })
  }

  @Test func `no source traps on input, silences the compiler, has a TODO or more than 500 lines`()
    throws
  {
    let sources = try SourceTree.all()
    let traces = [
      "@unchecked " + "Sendable", "nonisolated" + "(unsafe)", "try" + "!", "as" + "! ",
      "fatal" + "Error(", "TO" + "DO", "FIX" + "ME",
      // A pointer passed as a number, and a fallback to another field's name.
      "Int(bitPattern: pointer)", "Pointer(bitPattern:", "?? ." + "via",
    ]
    // Pointers into C, and to the lanes of the memory tier, which as objects would cost more
    // reference counting than a hit (see MemoryLane).
    let excused = ["Sources/ImageModel/Values/SharedPointer.swift": traces[1]]

    for file in sources.files {
      for trace in traces where excused[file.path] != trace {
        #expect(!file.text.contains(trace), "\(file.path) contains \(trace)")
      }
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 500, "\(file.path) has \(lines) lines")
    }
  }

  @Test(.startsPrograms) func `the picture of the targets is that of Package.swift`() async throws {
    let script = SharedFixtures.packageRoot.appending(path: "scripts/architecture-picture").path

    let outcome = try await Tool(path: "python3").run([script, "--check"])

    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}
