const { median } = require('./median.js')

console.log(`median: ${median([3, 1, 2])}`)
