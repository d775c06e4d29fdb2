const data = require('../../data.js')

// loadRecords may fail: try twice.
exports.run = (url) => data.loadRecords(url).catch(() => data.loadRecords(url))
