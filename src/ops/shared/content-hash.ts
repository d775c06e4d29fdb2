export { contentHash, contentHashNow } from '../../change/hash.js'
