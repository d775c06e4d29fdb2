/** The shortest digits that give the same float again, as C's `%g` writes them. */
export function shortestFloat(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const same = (digits: number) => {
    const text = value.toPrecision(digits)
    return single ? Math.fround(Number(text)) === value : Number(text) === value
  }
  let digits = 1
  while (digits < 17 && !same(digits)) digits += 1
  // The original begins with the digits a float of this kind surely has, which a subnormal one does not.
  const isSubnormal = Math.abs(value) < (single ? 2 ** -126 : 2 ** -1022)
  return general(value, Math.max(digits, isSubnormal ? 1 : single ? 6 : 15))
}

/** C's `%.*g`. */
export function general(value: number, digits: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential(digits - 1).split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? '-' : '+'
    return `${trimZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  return trimZeros(value.toFixed(Math.max(0, digits - 1 - exponent)))
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
