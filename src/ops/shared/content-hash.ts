export { contentHash, contentHashSync } from '../../change/hash.js'
