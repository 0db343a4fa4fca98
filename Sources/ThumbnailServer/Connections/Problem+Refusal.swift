import NIOCore
import NIOHTTP1

extension Problem {
  /// The whole answer that carries it, in the words of the wire: for what is refused before the routes.
  var refusal: (head: HTTPResponseHead, body: ByteBuffer) {
    var headers = HTTPHeaders(answer.fields.map { ($0.name.rawName, $0.value) })
    headers.add(name: "X-Content-Type-Options", value: SafetyFields.contentTypeOptions)
    headers.add(name: "Content-Security-Policy", value: SafetyFields.lockedDown)
    let body = ByteBuffer(string: json)
    headers.add(name: "Content-Length", value: String(body.readableBytes))
    let status = HTTPResponseStatus(statusCode: status.code)
    return (HTTPResponseHead(version: .http1_1, status: status, headers: headers), body)
  }
}
