import Foundation
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `The response with the bytes of an image` {
  private static func response(
    _ body: DataResponse.Body, byteCount: Int? = nil, record: CacheRecord = .stub(byteCount: 3)
  ) -> DataResponse {
    DataResponse(
      "http://test.invalid/a.jpg", body, byteCount: byteCount, original: record, source: .disk)
  }

  @Test func `has bytes in memory, with their number`() throws {
    let response = Self.response(.bytes([1, 2, 3]))

    #expect(try response.bytes() == [1, 2, 3])
    #expect(response.byteCount == 3)
  }

  @Test func `reads the bytes of a file`() throws {
    let scratch = try Scratch()
    let path = scratch / "a"
    try Data([1, 2, 3, 4]).write(to: URL(fileURLWithPath: path))

    let response = Self.response(.file(path: path), byteCount: 4)

    #expect(try response.bytes() == [1, 2, 3, 4])
  }

  @Test func `says that a file that is gone may have been evicted`() throws {
    let scratch = try Scratch()
    let path = scratch / "gone"
    let response = Self.response(.file(path: path), byteCount: 4)

    let error = #expect(throws: ImageError.self) { try response.bytes() }

    #expect(error?.code == .fileUnreadable)
    #expect(error?.message == "cannot read \(path): it may have been evicted")
  }

  @Test func `has the properties of its record`() {
    var record = CacheRecord.stub(byteCount: 3)
    record.format = .gif
    record.size = PixelSize(width: 7, height: 5)
    record.frameCount = 4

    let response = Self.response(.bytes([7, 7, 7]), record: record)

    #expect(response.format == .gif)
    #expect(response.size == PixelSize(width: 7, height: 5))
    #expect(response.frameCount == 4)
    #expect(response.hash == record.content?.hash)
    #expect(response.original == record)
  }

  @Test func `has no hash if its bytes are not stored`() {
    let response = Self.response(.bytes([7]), record: .stub(byteCount: nil))

    #expect(response.hash == nil)
    #expect(response.path == nil)
    #expect(response.storeFailure == nil)
  }

  @Test func `keeps the reason why it could not be stored`() {
    var response = Self.response(.bytes([7]))

    response.storeFailure = ImageError(.diskFull, "no space")

    #expect(response.storeFailure?.code == .diskFull)
  }

  @Test func `cost nothing unless a load says otherwise`() {
    var response = Self.response(.bytes([7]))
    let before = [response.requestCount, response.receivedByteCount]

    response.cost = TransferMeter.Reading(requestCount: 2, receivedByteCount: 100)

    #expect(before == [0, 0])
    #expect(response.requestCount == 2)
    #expect(response.receivedByteCount == 100)
  }
}
