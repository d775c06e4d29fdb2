// Prints what `URL`, `url` and `punycode` make of addresses that it makes up: node node-addresses.cjs SEED COUNT.
let [seed, count] = process.argv.slice(2).map(Number)
const rnd = (k) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return (seed >>> 8) % k
}
const pick = (l) => l[rnd(l.length)]
const schemes = [
  'http:',
  'https:',
  'file:',
  'ws:',
  'ftp:',
  'mailto:',
  'javascript:',
  'data:',
  'foo:',
  'blob:',
  'HTTP:',
  '',
  '1a:',
  'a+b-c.:',
]
const labels = [
  'a',
  'example',
  'xn--nxasmq6b',
  'xn--',
  'ü',
  'faß',
  '中国',
  '0x7f',
  '1',
  '256',
  '0',
  '00',
  '4294967295',
  '0x',
  '१',
  'A',
  '%41',
  '%2e',
  '­',
  '‍',
  'ｅx',
  '。',
  '[',
  ']',
  '::1',
  '[::1]',
  '[1:0:0:2::]',
  '[::ffff:1.2.3.4]',
  '[1::2::3]',
  ' ',
  '<',
  '^',
  '|',
  '\0',
  '\t',
  '_',
  '-',
  '',
  '☃',
  'é',
  '😀',
  'xn--a',
  'localhost',
  '%',
  '%00',
  'a b',
  '01.2',
  '0X10',
  '08',
]
const seps = ['.', '.', '.', '。', '', '..', '-']
const host = () => {
  let t = pick(labels)
  for (let i = rnd(4); i > 0; i -= 1) t += pick(seps) + pick(labels)
  return t
}
const bits = [
  '/',
  '/',
  'a',
  'b.c',
  '..',
  '.',
  '%2e%2E',
  '%2f',
  '?',
  '#',
  'ä',
  ' ',
  '"',
  "'",
  '<',
  '`',
  '{',
  '}',
  '|',
  '\\',
  '\n',
  '\t',
  '%zz',
  '%C3%A9',
  ':',
  '@',
  '[',
  '&',
  '=',
  '+',
  ';',
  'C:',
  'C|',
  '\u{1F600}',
  '\ud800',
  '//',
  '~',
  '^',
  '\x7f',
  '\u0001',
]
const tail = () => {
  let t = ''
  for (let i = rnd(7); i > 0; i -= 1) t += pick(bits)
  return t
}
const address = () =>
  pick(['', '', '', ' ', '\u0000']) +
  pick(schemes) +
  pick(['//', '//', '//', '/', '', '\\\\', '///']) +
  pick(['', '', '', 'u:p@', 'u@', ':@', 'ü:é@', 'a@b@']) +
  host() +
  pick(['', '', '', ':80', ':443', ':0', ':65536', ':08', ':a', ':', ':21']) +
  pick(['', '/', '/', '?', '#']) +
  tail() +
  pick(['', '', ' '])
const names = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']
const { domainToASCII, domainToUnicode, format, fileURLToPath, pathToFileURL } = require('node:url')
const said = (run) => {
  try {
    return run()
  } catch (error) {
    return [error.name, error.code, error.message, error.input, error.base]
  }
}
const values = (url) => ({
  ...Object.fromEntries([...names, 'origin'].map((name) => [name, url[name]])),
  params: [...url.searchParams],
})
for (let i = 0; i < count; i += 1) {
  const text = address(),
    base = rnd(3) === 0 ? address() : rnd(2) === 0 ? 'http://h/p/q?r#s' : undefined
  const changes = Array.from({ length: rnd(4) }, () => [pick(names), rnd(2) ? host() : rnd(2) ? address() : tail()])
  const relative = rnd(3) === 0 ? tail() : text
  console.log(
    JSON.stringify([
      relative,
      base,
      said(() => {
        const url = new URL(relative, base)
        const out = [
          values(url),
          URL.canParse(relative, base),
          format(url, { fragment: false, auth: false }),
          said(() => fileURLToPath(url)),
        ]
        for (const [name, value] of changes)
          out.push(
            name,
            value,
            said(() => {
              url[name] = value
              return values(url)
            }),
          )
        url.searchParams.append('k', text.toWellFormed())
        out.push(url.href)
        return out
      }),
    ]),
  )
  const domain = host()
  console.log(
    JSON.stringify([
      domain,
      domainToASCII(domain),
      domainToUnicode(domain),
      said(() => require('node:punycode').toASCII(domain)),
      said(() => require('node:punycode').toUnicode(domain.toLowerCase())),
      pathToFileURL('/' + tail().toWellFormed()).href,
    ]),
  )
}
