const { fetchData, fetchDataFromCache } = require('./data.js')

exports.show = async (url) => {
  const early = fetchDataFromCache(url)
  const late = await fetchData(url)
  return [...early, ...late]
}
