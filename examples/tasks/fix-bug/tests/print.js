const { median } = require('/app/src/median.js')

const given = [10, 9, 1]
for (const values of [given, [2, 1], [5], [100, 20, 3, 1], [-1, -10, 0.5]]) console.log(median(values))
console.log(median([]))
console.log(given.join(' '))
