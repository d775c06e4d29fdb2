/** The module `punycode`: text of other scripts in ASCII, as RFC 3492 has it. */
'use strict'
;(() => {
  const { internal } = $polyfs
  internal.define('punycode', ({ exported }) => {
    const [base, least, most, skew, damping, firstBias, firstCode] = [36, 1, 26, 38, 700, 72, 128]
    const largest = 0x7fffffff
    const messages = {
      overflow: 'Overflow: input needs wider integers to process',
      'not-basic': 'Illegal input >= 0x80 (not a basic code point)',
      'invalid-input': 'Invalid input',
    }
    const fail = (kind) => {
      throw new RangeError(messages[kind])
    }
    const separators = /[\x2E\u3002\uFF0E\uFF61]/g

    /** Each label by itself; what stands before an @ stays. */
    function eachLabel(domain, change) {
      const [user, host] = domain.includes('@') ? domain.split('@') : [undefined, domain]
      const changed = host.replace(separators, '.').split('.').map(change).join('.')
      return (user === undefined ? '' : user + '@') + changed
    }
    /** Code points, lone surrogates too. */
    const codes = (text) => Array.from(text, (letter) => letter.codePointAt(0))
    const textOf = (points) => String.fromCodePoint(...points)

    function adapted(delta, count, isFirst) {
      let left = isFirst ? Math.floor(delta / damping) : delta >> 1
      left += Math.floor(left / count)
      let bias = 0
      for (; left > ((base - least) * most) >> 1; bias += base) left = Math.floor(left / (base - least))
      return Math.floor(bias + ((base - least + 1) * left) / (left + skew))
    }
    const thresholdAt = (at, bias) => (at <= bias ? least : at >= bias + most ? most : at - bias)
    const digitOf = (code) => {
      if (code >= 0x30 && code < 0x3a) return 26 + (code - 0x30)
      if (code >= 0x41 && code < 0x5b) return code - 0x41
      if (code >= 0x61 && code < 0x7b) return code - 0x61
      return base
    }
    const letterOf = (digit) => String.fromCharCode(digit < 26 ? digit + 97 : digit + 22)

    function decode(input) {
      const output = []
      const basic = Math.max(0, input.lastIndexOf('-'))
      for (let at = 0; at < basic; at += 1) {
        if (input.charCodeAt(at) >= 0x80) fail('not-basic')
        output.push(input.charCodeAt(at))
      }
      let [code, index, bias] = [firstCode, 0, firstBias]
      for (let at = basic > 0 ? basic + 1 : 0; at < input.length; ) {
        const before = index
        for (let weight = 1, step = base; ; step += base) {
          if (at >= input.length) fail('invalid-input')
          const digit = digitOf(input.charCodeAt(at))
          at += 1
          if (digit >= base) fail('invalid-input')
          if (digit > Math.floor((largest - index) / weight)) fail('overflow')
          index += digit * weight
          const threshold = thresholdAt(step, bias)
          if (digit < threshold) break
          if (weight > Math.floor(largest / (base - threshold))) fail('overflow')
          weight *= base - threshold
        }
        const count = output.length + 1
        bias = adapted(index - before, count, before === 0)
        if (Math.floor(index / count) > largest - code) fail('overflow')
        code += Math.floor(index / count)
        index %= count
        output.splice(index, 0, code)
        index += 1
      }
      return textOf(output)
    }

    function encode(text) {
      const input = codes(text)
      const basic = input.filter((code) => code < 0x80)
      let output = textOf(basic)
      let handled = basic.length
      if (handled > 0) output += '-'
      let [code, delta, bias] = [firstCode, 0, firstBias]
      while (handled < input.length) {
        const next = input.reduce((found, each) => (each >= code && each < found ? each : found), largest)
        if (next - code > Math.floor((largest - delta) / (handled + 1))) fail('overflow')
        delta += (next - code) * (handled + 1)
        code = next
        for (const each of input) {
          if (each < code) delta += 1
          if (delta > largest) fail('overflow')
          if (each !== code) continue
          let rest = delta
          for (let step = base; ; step += base) {
            const threshold = thresholdAt(step, bias)
            if (rest < threshold) break
            output += letterOf(threshold + ((rest - threshold) % (base - threshold)))
            rest = Math.floor((rest - threshold) / (base - threshold))
          }
          output += letterOf(rest)
          bias = adapted(delta, handled + 1, handled === basic.length)
          delta = 0
          handled += 1
        }
        delta += 1
        code += 1
      }
      return output
    }

    Object.assign(exported, {
      version: '2.1.0',
      ucs2: { decode: codes, encode: textOf },
      decode,
      encode,
      toASCII: (domain) => eachLabel(domain, (label) => (/[^\0-\x7F]/.test(label) ? 'xn--' + encode(label) : label)),
      toUnicode: (domain) =>
        eachLabel(domain, (label) => (/^xn--/.test(label) ? decode(label.slice(4).toLowerCase()) : label)),
    })
  })
})()
