const data = require('../../data.js')

// fetchData may fail: try twice.
exports.run = (url) => data.fetchData(url).catch(() => data.fetchData(url))
