/** The calls of zlib, in JavaScript: the one place that imports pako. */
export {
  Z_BUF_ERROR,
  Z_FINISH,
  Z_NEED_DICT,
  Z_NO_FLUSH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibDeflate,
  zlibDeflateInit2,
  zlibDeflateSetDictionary,
  zlibInflate,
  zlibInflateInit2,
  zlibInflateReset,
  zlibInflateSetDictionary,
} from 'pako'
