import Foundation
import ImageModel
import Testing

@testable import ImageCodecs
@testable import TestSupport

@Suite struct `Focus drawings` {
  @Test(arguments: FocusDrawing.all)
  func `an attention crop keeps the subject that a center crop cuts`(one: FocusDrawing) throws {
    let middle = (one.drawing.size.width - one.crop.width) / 2
    let offset = AttentionCrop.offset(of: one.crop, in: one.drawing.rendered())

    #expect(offset.left <= one.subject.left && offset.top <= one.subject.top)
    #expect(offset.left + one.crop.width >= one.subject.right)
    #expect(offset.top + one.crop.height >= one.subject.bottom)
    let upper = (one.drawing.size.height - one.crop.height) / 2
    #expect(
      middle > one.subject.left || middle + one.crop.width < one.subject.right
        || upper > one.subject.top || upper + one.crop.height < one.subject.bottom)

    // The images of the documentation: IMGCACHE_FOCUS_IMAGES=DIR.
    guard let folder = ProcessInfo.processInfo.environment["IMGCACHE_FOCUS_IMAGES"] else { return }
    try Data(ImageCodecs.encodePNG(one.comparison(at: offset)))
      .write(to: URL(fileURLWithPath: "\(folder)/\(one.name).png"))
  }
}
