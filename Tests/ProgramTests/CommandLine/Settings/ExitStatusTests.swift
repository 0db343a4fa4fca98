import ArgumentParser
import ImageModel
import Testing

@testable import imgcache

@Suite struct `The exit status of a failure` {
  @Test func `is 2 of the environment, 64 of misuse, 1 of an image, also for an unknown code`() {
    for code in [
      ImageError.Code.cacheFull, .diskFull, .cacheUnusable, .storeFailed, .cannotListen,
      .sharedTierFailed, .libraryMissing,
    ] {
      #expect(ExitStatus.forError(ImageError(code, "")).rawValue == 2)
    }
    for code in [
      ImageError.Code.notCached, .httpStatus, .timedOut, .truncated, .limitExceeded, .dayNotFound,
      .fileUnreadable, ImageError.Code(rawValue: "of_a_later_version"),
    ] {
      #expect(ExitStatus.forError(ImageError(code, "")).rawValue == 1)
    }
    #expect(ExitStatus.forError(ImageError(.invalidArgument, "")).rawValue == 64)
  }

  @Test func `is that of its error unless it is named`() {
    let error = ImageError(.diskFull, "no space")

    #expect(CommandFailure(error).status == ExitStatus.environment)
    #expect(CommandFailure(error, status: ExitCode(7)).status.rawValue == 7)
  }
}

@Suite struct `A failure that ends a command` {
  private let error = ImageError(.truncated, "data ended at 14 of 90 KiB")

  @Test func `says what was done before it says why it failed`() {
    #expect(CommandFailure(error).text == "data ended at 14 of 90 KiB")
    #expect(
      CommandFailure(error, doing: "cannot show a.jpg").text
        == "cannot show a.jpg: data ended at 14 of 90 KiB")
  }

  @Test(arguments: [
    ("https://a.org/b.png: not cached", "https://a.org/b.png", true),
    ("cannot read a: No such file or directory", "a", true),
    ("cannot read a: No such file or directory", "cannot", false),
    ("data ended at 14 of 90 KiB", "a", false),
  ])
  func `names its source once`(message: String, source: String, isNamed: Bool) {
    let doing = ImageError(.truncated, message).doing("cannot show", source)

    #expect(doing == (isNamed ? nil : "cannot show \(source)"))
  }

  @Test func `is an object with the error, and with its subject if it has one`() {
    let failure = CommandFailure(
      error, subject: [("input", "a.jpg"), ("output", "b/")], event: .thumb)
    let told =
      #""status":"failed","error":{"code":"truncated","message":"data ended at 14 of 90 KiB"}}"#

    #expect(CommandFailure(error).event == .error && failure.event == .thumb)
    #expect(CommandFailure(error).json.description == "{" + told)
    #expect(
      failure.json.description
        == #"{"input":"a.jpg","output":"b/","# + told)
  }

  @Test(arguments: [
    (["ls", "--json"], true), (["ls", "-j"], true), (["ls", "-qj"], true),
    (["ls", "-jv"], true), (["ls"], false), (["ls", "-q"], false),
    (["get", "--", "--json"], false), (["get", "--", "-j"], false), (["thumb", "-0j"], true),
    (["thumb", "-oj"], false), (["ls", "--jsonl"], false), (["ls", "j"], false), ([""], false),
  ])
  func `is JSON with the flag for it, in a group of flags, too`(words: [String], isJSON: Bool) {
    #expect(ProgramExit(arguments: words).isJSON == isJSON)
  }
}
