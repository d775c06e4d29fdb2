/** just-bash compresses with node:zlib; here gzip, tar and the rest are commands of our own, and nothing else asks for it. */
function missing() {
  throw new Error('zlib is not available here')
}

export const constants = {}
export const gunzipSync = missing
export const gzipSync = missing
export const inflateSync = missing
export const deflateSync = missing
