export { contentHash, contentHashSync } from '../../change/content-hash.js'
