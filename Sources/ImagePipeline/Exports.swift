// What `import ImagePipeline` shows of the stages below it: the types that requests and responses
// are made of. For the rest of a stage, import it: processors and encoders in `ImageCodecs`,
// `DiskCache` in `DiskCaching`, `MemoryCache` in `CachePolicies`, `HTTPFetcher` and `DataFetching`
// in `ImageFetching`.
@_exported import enum ImageCodecs.FitMode
@_exported import protocol ImageCodecs.ImageProcessing
@_exported import struct ImageCodecs.PixelColor
@_exported import struct ImageCodecs.ThumbnailRecipe
@_exported import enum ImageModel.CachePolicy
@_exported import enum ImageModel.ImageCheck
@_exported import struct ImageModel.ImageError
@_exported import struct ImageModel.ImageFormat
@_exported import struct ImageModel.ImageInfo
@_exported import struct ImageModel.ImageLimits
@_exported import enum ImageModel.LoadSource
@_exported import struct ImageModel.LoadStep
@_exported import struct ImageModel.PixelBuffer
@_exported import struct ImageModel.PixelSize
@_exported import enum LoadScheduling.LoadPriority
