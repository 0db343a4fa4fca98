import HTTPTypes
import Testing

@testable import ImageModel

@Suite struct `A trace context` {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  static let parent = "00-\(trace)-00f067aa0ba902b7-01"

  @Test func `has its trace's identifier and adds its fields to a request`() throws {
    let context = try #require(TraceContext(parent: Self.parent, state: "a=1,b@c=2"))
    var fields: HTTPFields = [:]
    context.add(to: &fields)
    var own: HTTPFields = [.init("traceparent")!: "own"]
    context.add(to: &own)

    #expect(context.traceID == Self.trace)
    #expect(fields[.init("traceparent")!] == Self.parent)
    #expect(fields[.init("tracestate")!] == "a=1,b@c=2")
    #expect(own == [.init("traceparent")!: "own"])
  }

  @Test(arguments: [
    ("00-\(trace)-00f067aa0ba902b7-00", true), ("00-\(trace)-00f067aa0ba902b7-ff", true),
    ("01-\(trace)-00f067aa0ba902b7-01", true), ("cc-\(trace)-00f067aa0ba902b7-01-what", true),
    ("", false), ("00", false), ("00-\(trace)-00f067aa0ba902b7", false),
    ("00-\(trace)-00f067aa0ba902b7-01-", false), ("00-\(trace)-00f067aa0ba902b7-01-x", false),
    ("01-\(trace)-00f067aa0ba902b7-01.x", false), ("ff-\(trace)-00f067aa0ba902b7-01", false),
    ("cc-\(trace)-00f067aa0ba902b7-01-\r\nX: y", false),
    ("00-\(trace.uppercased())-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-\(trace)-0000000000000000-01", false), ("00-\(trace)-00f067aa0ba902b7-0g", false),
    ("00_\(trace)_00f067aa0ba902b7_01", false), (" 00-\(trace)-00f067aa0ba902b7-01", false),
    ("00-\(trace)-00f067aa0ba902é7-01", false), ("0x-\(trace)-00f067aa0ba902b7-01", false),
  ])
  func `is parsed strictly (W3C Trace Context §3.2)`(parent: String, isValid: Bool) {
    #expect((TraceContext(parent: parent) != nil) == isValid)
  }

  @Test(arguments: [
    ("a=1", true), ("a=1, b=2 ,,c=3", true), ("1a@b-c=x y", true), ("a/b*c_d-e=~", true),
    ("", false), ("a", false), ("=1", false), ("A=1", false), ("a=1,a=2", false), ("a=é", false),
    ("a=b=c", false), ("a=", false), ("a=1\u{7}", false), ("-a=1", false),
    ((0..<33).map { "k\($0)=1" }.joined(separator: ","), false),
    (String(repeating: "k", count: 257) + "=1", false),
  ])
  func `drops a malformed tracestate (W3C Trace Context §3.3)`(state: String, isValid: Bool) throws
  {
    let context = try #require(TraceContext(parent: Self.parent, state: state))

    #expect((context.state != nil) == isValid)
  }
}
