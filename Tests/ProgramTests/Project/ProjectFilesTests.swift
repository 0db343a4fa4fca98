import Foundation
import Testing
@testable import TestSupport

/// The files that a project needs, and the references in the tree.
@Suite struct `Project files` {
  private static let root = SharedFixtures.packageRoot

  /// Every text file that git would take, by its path from the root.
  private static let texts: [String: String] = {
    let skipped: Set = [".git", "Package.resolved", "demo-output"]
    var found: [String: String] = [:]
    var folders = [""]
    while let folder = folders.popLast() {
      let names =
        (try? FileManager.default.contentsOfDirectory(atPath: root.path + "/" + folder)) ?? []
      for name in names where !skipped.contains(name) && !name.hasPrefix(".build") {
        let path = folder + name
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(
          atPath: root.path + "/" + path, isDirectory: &isFolder)
        if isFolder.boolValue {
          folders.append(path + "/")
        } else if let text = try? String(
          contentsOf: root.appending(path: path), encoding: .utf8)
        {
          found[path] = text
        }
      }
    }
    return found
  }()

  @Test func `the guide to responses lists every code of a problem object`() throws {
    let guide = try #require(
      Self.texts["Sources/ImagePipeline/Documentation.docc/ServerResponses.md"])
    let servers = ["ThumbnailServer", "CachingProxy", "HTTPListening"]
    let sources = Self.texts.filter { path, _ in
      servers.contains { path.hasPrefix("Sources/\($0)/") }
    }
    let codes = Set(
      sources.values.flatMap { text in
        text.matches(of: /\.\w+,\s*"([a-z_]+)",\s*"[A-Z]/).map { String($0.1) }
      })

    #expect(codes.count > 30)
    // The client that disconnected does not read it.
    #expect(codes.filter { !guide.contains("`\($0)`") } == ["cancelled"])
  }

  @Test func `only the CI script names the folder beside the checkout`() {
    let folder = "../" + "shared"
    let users = Self.texts.filter { $0.value.contains(folder) }.keys.sorted()

    #expect(Self.texts.count > 500)
    #expect(users == [".ci/run"])
  }

  @Test func `the container image and the script install every system library`() throws {
    let package = try #require(Self.texts["Package.swift"])
    let libraries = package.matches(of: /pkgConfig: "[^"]+", apt: "([^"]+)"/).map { String($0.1) }
    #expect(libraries.count > 8)
    // Loaded, so that the package does not name them.
    let loaded: Set = ["libavif-dev", "libheif-dev"]
    for file in ["Distribution/Containerfile", "scripts/install-dependencies"] {
      let words = Set(
        try #require(Self.texts[file]).split { " \n\\\"=".contains($0) }.map(String.init))
      #expect(loaded.union(libraries).subtracting(words) == [], "\(file)")
    }
  }

  @Test func `every document that is named exists`() throws {
    // Documents in capitals, such as a project's SECURITY page, by their file name.
    let name = /\b([A-Z][A-Z_]{3,}\.md)\b/
    let documents = Set(Self.texts.keys.map { $0.split(separator: "/").last.map(String.init) })
    var missing: [String] = []
    for (path, text) in Self.texts {
      for match in text.matches(of: name) where !documents.contains(String(match.1)) {
        missing.append("\(path) names \(match.1)")
      }
    }

    #expect(missing == [])
  }

  @Test func `a page of decisions has at most 150 lines`() {
    let pages = Self.texts.filter { $0.key.hasSuffix("Decisions.md") }
    let long = pages.filter { $0.value.count { $0 == "\n" } > 150 }.keys.sorted()

    #expect(pages.count > 8)
    #expect(long == [])
  }

  @Test func `every relative link of a page leads to a file`() throws {
    let link = /\]\(([^)#:]+)(?:#[^)]*)?\)/
    var missing: [String] = []
    for (path, text) in Self.texts where path.hasSuffix(".md") {
      let folder = Self.root.appending(path: path).deletingLastPathComponent()
      for match in text.matches(of: link) {
        // DocC names an image of its catalogue by its file name alone.
        let isImage = folder.pathExtension == "docc" && !match.1.contains { "./".contains($0) }
        let names =
          isImage ? ["png", "svg"].map { "Resources/\(match.1).\($0)" } : [String(match.1)]
        let exists = names.contains {
          FileManager.default.fileExists(atPath: folder.appending(path: $0).path)
        }
        if !exists { missing.append("\(path) links to \(match.1)") }
      }
    }

    #expect(missing == [])
  }
}
