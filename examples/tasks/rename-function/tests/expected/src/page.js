const { loadRecords, fetchDataFromCache } = require('./data.js')

exports.show = async (url) => {
  const early = fetchDataFromCache(url)
  const late = await loadRecords(url)
  return [...early, ...late]
}
