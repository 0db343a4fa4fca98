import ImageFeeds
import ImagePipeline

extension MessageGroups {
  /// Writes a day or a page that is not available; nothing for any other element.
  func write(failed element: DayListing.Element) {
    switch element {
    case .dayFailed(let query, let error, _):
      if report.json {
        report.object([
          "event": "day", "day": query.description, "stories": 0, "top_stories": 0, "images": 0,
          "status": "failed", "error": error.json,
        ])
      }
      write(query.description, error, as: "day \(query)", in: .init(.day, error))
    case .pageFailed(let story, let day, let error):
      if report.json {
        report.object([
          "event": "story", "day": day.description, "story_id": story.id, "status": "failed",
          "error": error.json,
        ])
      }
      write("the page of story \(story.id) (\(day)): \(error.message)", in: .init(.page, error))
    case .answer, .day, .image, .page, .baseFailed: break
    }
  }
}
