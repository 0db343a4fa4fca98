import Foundation
import Testing
@testable import TestSupport

/// Checks the lists of stations on the Architecture page against the code.
@Suite struct `Stations of a request` {
  /// The lists of the page: their titles, and the stations in order.
  private static func lists() throws
    -> [(title: String, stations: [(type: String, method: String)])]
  {
    let page = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Sources/ImagePipeline/Documentation.docc/Architecture.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "### Stations").last)
      .components(separatedBy: "\n## ")[0]
    return section.components(separatedBy: "\n- ").dropFirst().map { item in
      let parts = item.split(separator: ": ", maxSplits: 1)
      let stations = parts[1].split(separator: "`").filter { $0.contains(".") }.map { name in
        let words = name.split(separator: ".")
        return (type: String(words[0]), method: String(words[1]))
      }
      return (String(parts[0]), stations)
    }
  }

  @Test func `are few, exist, and each is called from one before it, mostly further down`() throws {
    let sources = try SourceTree.all().files.map { (text: $0.text, types: $0.declaredTypes) }
    let lists = try Self.lists()

    #expect(
      lists.map(\.title)
        == [
          "hot `GET /thumb`", "hit of the proxy", "cold `GET /thumb`",
          "`prefetch`, to the committed file",
        ])
    for (list, maximum) in zip(lists, [8, 10, 20, 20]) {
      #expect((5...maximum).contains(list.stations.count), "\(list.title)")
      var reached: [(text: String, types: Set<String>)] = []
      var places: [String: String.Index] = [:]
      var jumpsBack = 0
      for station in list.stations {
        let name = "\(station.type).\(station.method)"
        let files = sources.filter { $0.types.contains(station.type) }
        let declaration = station.method == "init" ? "init(" : "func \(station.method)"
        #expect(files.contains { $0.text.contains(declaration) }, "\(name) does not exist")
        let call = station.method == "init" ? "\(station.type)(" : "\(station.method)("
        // The first stations are called by NIO or by the command line.
        let isCalled = (reached + files).contains { file in
          file.text.components(separatedBy: call).dropLast().contains { !$0.hasSuffix("func ") }
        }
        #expect(
          isCalled || station.method == "channelRead" || reached.isEmpty, "no call of \(name)")
        reached += files
        // Where the list comes back to a file, it goes on below what it has passed there.
        guard let file = files.first(where: { $0.text.contains(declaration) }) else { continue }
        let place = places[file.text] ?? file.text.startIndex
        let next = file.text.range(of: declaration, range: place..<file.text.endIndex)
        if next == nil { jumpsBack += 1 }
        places[file.text] = next?.lowerBound ?? place
      }
      #expect(jumpsBack <= 2, "\(list.title)")
      #expect(Set(list.stations.map(\.type)).count <= 20, "\(list.title)")
    }
  }
}
