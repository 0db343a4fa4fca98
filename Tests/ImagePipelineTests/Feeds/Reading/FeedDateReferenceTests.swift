import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `Dates of feeds beside the calendar of Foundation` {
  private func zone(_ minutes: Int, colon: Bool) -> String {
    let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
    let text = (hours < 10 ? "0" : "") + "\(hours)" + (colon ? ":" : "")
    return (minutes < 0 ? "-" : "+") + text + (rest < 10 ? "0" : "") + "\(rest)"
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `are on the same day in UTC+8, in any zone`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for round in 0..<150 {
      let moment = Date(
        timeIntervalSince1970: Double(Int.random(in: 0..<2_000_000_000, using: &random)))
      let minutes = 15 * Int.random(in: -48...56, using: &random)
      calendar.timeZone = try #require(TimeZone(secondsFromGMT: 60 * minutes))
      let part = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: moment)
      let (year, month, day) = (part.year ?? 0, part.month ?? 0, part.day ?? 0)
      let clock = [part.hour, part.minute, part.second].map { two($0 ?? 0) }
        .joined(separator: ":")
      let internet =
        "\(year)-\(two(month))-\(two(day))T\(clock).25" + zone(minutes, colon: true)
      let mail =
        "Mon, \(day) \(months[month - 1]) \(year) \(clock) " + zone(minutes, colon: false)

      let expected = DayKey.today(at: moment)

      #expect(FeedDate.day(internet) == expected, "seed \(seed), round \(round): \(internet)")
      #expect(FeedDate.day(mail) == expected, "seed \(seed), round \(round): \(mail)")
    }
  }
}
