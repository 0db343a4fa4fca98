// What `import ImagePipeline` shows of the stages below it: what requests, responses and the usual
// configurations are made of. For the rest of a stage, import it.
@_exported import struct CachePolicies.MemoryCacheConfiguration
@_exported import class DiskCaching.DiskCache
@_exported import struct ImageCodecs.Blur
@_exported import struct ImageCodecs.Crop
@_exported import enum ImageCodecs.FitMode
@_exported import protocol ImageCodecs.ImageProcessing
@_exported import struct ImageCodecs.PixelColor
@_exported import struct ImageCodecs.Resize
@_exported import struct ImageCodecs.RoundCorners
@_exported import struct ImageCodecs.ThumbnailRecipe
@_exported import struct ImageCodecs.Tint
@_exported import protocol ImageFetching.DataFetching
@_exported import class ImageFetching.HTTPFetcher
@_exported import struct ImageFetching.HostGuard
@_exported import enum ImageModel.CachePolicy
@_exported import enum ImageModel.ImageCheck
@_exported import struct ImageModel.ImageError
@_exported import struct ImageModel.ImageFormat
@_exported import struct ImageModel.ImageInfo
@_exported import struct ImageModel.ImageLimits
@_exported import enum ImageModel.LoadFreshness
@_exported import enum ImageModel.LoadSource
@_exported import struct ImageModel.LoadStep
@_exported import struct ImageModel.PixelBuffer
@_exported import struct ImageModel.PixelSize
@_exported import enum LoadScheduling.LoadPriority
