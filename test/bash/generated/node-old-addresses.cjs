// Prints what the older functions of `url` make of texts that it makes up: node node-old-addresses.cjs SEED COUNT.
const url = require('node:url')
let [seed, count] = process.argv.slice(2).map(Number)
const below = (limit) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return (seed >>> 8) % limit
}
const one = (list) => list[below(list.length)]
const protocols = ['', '', '', 'http:', 'https:', 'HTTP:', 'file:', 'mailto:', 'javascript:', 'foo:', 'ws:', 'a.b:']
const slashes = ['', '//', '//', '/', '///', '\\\\']
const auths = ['', '', '', 'me@', 'me:you@', 'a%20b:c@', 'a@b@']
const hosts = [
  '',
  'example.com',
  'EXAMPLE.com',
  'localhost',
  'a_b',
  '1.2.3.4',
  '[::1]',
  'a b',
  'a*b',
  'bücher.de',
  'x'.repeat(260),
]
const ports = ['', '', '', ':80', ':', ':99999', ':x']
const paths = [
  '',
  '/',
  '*',
  'a',
  '/a/b',
  '/a/./b/../c',
  '../x',
  './y',
  '../../z/',
  '/a b',
  '/{a}|"b"',
  '/%zz',
  'a:b',
  '..',
  '.',
  '/a//b/',
  ';p',
  "/it's",
]
const searches = ['', '', '?', '?a=1', '?a=1&a=2&b', '?x y', '?a?b', '?\\']
const hashes = ['', '', '#', '#h', '#h?x', '# a']
const text = () =>
  one(protocols) + one(slashes) + one(auths) + one(hosts) + one(ports) + one(paths) + one(searches) + one(hashes)
const said = (run) => {
  try {
    const made = run()
    return typeof made === 'string' ? made : JSON.stringify(made)
  } catch (error) {
    return `${error.name} ${error.code} ${error.message}`
  }
}
for (let at = 0; at < count; at += 1) {
  const [first, second] = [text(), below(3) === 0 ? text() : one(paths) + one(searches) + one(hashes)]
  console.log(JSON.stringify([first, second]))
  console.log(said(() => url.parse(first, below(2) === 0, below(3) === 0)))
  console.log(
    said(() => url.format(first)),
    said(() => url.resolve(first, second)),
  )
}
for (const wrong of [undefined, 5, {}])
  console.log(
    said(() => url.parse(wrong)),
    said(() => url.format(wrong)),
  )
console.log(
  url.parse('http://a/b?c'),
  url.format({ protocol: 'http', hostname: '::1', port: 8, pathname: 'x?y', query: { a: [1, 2] }, hash: 'h' }),
)
