import ImageFeeds
import ImagePipeline

/// What a run over some days is to do: `prefetch` fills it from its options, `refresh` from what is
/// remembered.
struct PrefetchPlan: Sendable {
  /// The days, and the feeds that they come from.
  var days: [FeedDays]
  /// Whether the feeds are those that the days came from, not named on the command line.
  var isRemembered = false
  /// Whether the images inside the story pages are wanted too.
  var includesBodies = false
  /// Thumbnails to be made of every image.
  var thumbnails: [ThumbnailRecipe] = []
  /// How far what is kept may be trusted.
  var cachePolicy = CachePolicy.http
  /// How much of an image must hold before it is stored.
  var check = ImageCheck.decode
  /// Images in flight in all.
  var concurrency = 6
  /// Whether images are only listed.
  var isDryRun = false
  /// The folder for readable copies; `nil` for none.
  var export: String?
  /// Whether those are hard links.
  var exportsLinks = false
  /// The file that stands in for what failed, in the export.
  var placeholder: String?
  /// The file to which cache accesses are appended.
  var trace: String?
  /// Where the run speaks.
  var report: Report
  /// Whether it draws how far it is.
  var showsProgress = false
  /// Whether it then shows each picture as it arrives.
  var showsPictures = false
  /// Whether it draws without colours.
  var isColorless = false
}
