import Foundation
import ImageFetching
import ImageModel
import TextEncodings

/// Operations on the objects of a bucket, one a line of stdin, this many at once; the results are
/// lines of JSON in the same order.
///
/// A line is `put KEY COUNT SEED`, `get KEY`, `range KEY FIRST COUNT`, `same KEY ETAG` or
/// `delete KEY`, the key percent-encoded. The body of a `put` is a sequence that the script
/// computes as well.
struct Objects {
  let arguments: Arguments

  func run() async throws {
    let bucket = try S3Bucket(
      arguments.text("bucket"), environment: ProcessInfo.processInfo.environment
    ) { path throws(ImageError) in
      guard let data = FileManager.default.contents(atPath: path) else {
        throw ImageError(.fileUnreadable, "cannot read \(path)")
      }
      return [UInt8](data)
    }
    let client = try S3Client(bucket)
    let operations = AnyIterator { readLine() }.map { $0.split(separator: " ").map(String.init) }
    let width = arguments.number("width", default: 8)
    let results = await withTaskGroup(of: (Int, String).self) { group in
      var results = [String](repeating: "", count: operations.count)
      for (index, words) in operations.enumerated() {
        if index >= width, let (done, result) = await group.next() { results[done] = result }
        add(index, words, client, to: &group)
      }
      for await (index, result) in group { results[index] = result }
      return results
    }
    await client.shutdown()
    for result in results { print(result) }
  }

  private func add(
    _ index: Int, _ words: [String], _ client: S3Client,
    to group: inout TaskGroup<(Int, String)>
  ) {
    group.addTask {
      let start = ContinuousClock.now
      var members: [String]
      do {
        members = try await Self.perform(words, client)
      } catch let error as ImageError {
        let code = (error.cause as? S3Failure)?.code ?? error.code.rawValue
        members = ["\"status\":\(error.status ?? 0)", "\"code\":\"\(code)\""]
      } catch {
        members = ["\"status\":0", "\"code\":\"cancelled\""]
      }
      let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
      return (index, "{\((members + ["\"ms\":\(elapsed)"]).joined(separator: ","))}")
    }
  }

  private static func perform(
    _ words: [String], _ client: S3Client
  ) async throws -> [String] {
    guard words.count > 1 else { throw ImageError(.invalidArgument, "malformed line") }
    let key = String(decoding: PercentEncoding.decoded(words[1]).bytes, as: UTF8.self)
    func number(_ index: Int) -> Int { words.indices.contains(index) ? Int(words[index]) ?? 0 : 0 }
    let response: S3Client.Response
    switch words[0] {
    case "put":
      let seed = number(3)
      let body = (0..<number(2)).map { UInt8(truncatingIfNeeded: seed &+ $0 &* 31 &+ $0 >> 8) }
      response = try await client.put(key, body, mediaType: "image/jpeg")
    case "get": response = try await client.get(key)
    case "range":
      response = try await client.get(key, range: number(2)..<(number(2) + number(3)))
    case "same": response = try await client.get(key, ifNoneMatch: words.count > 2 ? words[2] : nil)
    case "delete":
      try await client.delete(key)
      return ["\"status\":204"]
    default: throw ImageError(.invalidArgument, "unknown operation")
    }
    let hash = response.bytes.withUnsafeBytes { SHA256.hash(of: $0) }.hex
    let tag = response.head.fields[.eTag] ?? ""
    return [
      "\"status\":\(response.head.status)", "\"count\":\(response.bytes.count)",
      "\"sha256\":\"\(hash)\"", "\"etag\":\"\(tag.replacingOccurrences(of: "\"", with: "\\\""))\"",
    ]
  }
}
