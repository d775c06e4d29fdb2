/** What the engine lacks of `Intl`: numbers, dates and the order of text as in American English. */
'use strict'
;(() => {
  const { internal } = $polyfs
  const months = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ]
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  const symbols = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩' }

  function known(locales) {
    const [first] = [locales].flat()
    if (first === undefined || /^(?:en|en-US|default|C|POSIX)$/.test(String(first))) return
    throw new RangeError('The locale ' + first + ' is not supported by this shell, only en-US')
  }
  function only(options, names, what) {
    for (const name of Object.keys(options || {})) {
      if (options[name] !== undefined && !names.includes(name))
        throw new RangeError(what + ': the option ' + name + ' is not supported by this shell')
    }
  }
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

  /** Rounds the decimal digits of a number, half away from zero. */
  function fixed(value, most) {
    if (Math.abs(value) >= 1e21) return BigInt(value).toString()
    const [head, exponent = '0'] = String(Math.abs(value)).split('e')
    const [whole, fraction = ''] = head.split('.')
    const shift = Number(exponent)
    let digits = whole + fraction
    let point = whole.length + shift
    if (point <= 0) {
      digits = '0'.repeat(1 - point) + digits
      point = 1
    }
    digits = digits.padEnd(point, '0')
    const cut = point + most
    if (digits.length > cut) {
      const up = digits[cut] >= '5'
      let kept = digits.slice(0, cut) || '0'
      if (up) {
        const raised = (BigInt(kept) + 1n).toString().padStart(kept.length, '0')
        point += raised.length - kept.length
        kept = raised
      }
      digits = kept
    }
    const end = digits.slice(point).replace(/0+$/, '')
    return digits.slice(0, point).replace(/^0+(?=\d)/, '') + (end === '' ? '' : '.' + end)
  }

  const numberOptions = [
    'style',
    'currency',
    'minimumFractionDigits',
    'maximumFractionDigits',
    'useGrouping',
    'minimumIntegerDigits',
    'notation',
    'maximumSignificantDigits',
    'compactDisplay',
    'currencyDisplay',
  ]
  function numberText(value, options = {}) {
    only(options, numberOptions, 'Number format')
    const {
      style = 'decimal',
      currency,
      useGrouping = true,
      minimumIntegerDigits = 1,
      notation = 'standard',
      maximumSignificantDigits,
    } = options
    if (!['decimal', 'percent', 'currency'].includes(style))
      throw new RangeError('Number format: the style ' + style + ' is not supported by this shell')
    if (!['standard', 'compact'].includes(notation))
      throw new RangeError('Number format: the notation ' + notation + ' is not supported by this shell')
    if (style === 'currency' && currency === undefined)
      throw new TypeError('Currency code is required with currency style.')
    if (Number.isNaN(value)) return 'NaN'
    const sign = value < 0 || Object.is(value, -0) ? '-' : ''
    const symbol = style === 'currency' ? symbols[currency] || currency + '\u00a0' : ''
    const unit = style === 'percent' ? '%' : ''
    if (value === Infinity || value === -Infinity) return sign + symbol + '∞' + unit
    let amount = typeof value === 'bigint' ? value : style === 'percent' ? Number((value * 100).toPrecision(15)) : value
    let suffix = ''
    if (notation === 'compact') {
      /** @type {[number, string][]} */
      const steps = [
        [1e12, 'T'],
        [1e9, 'B'],
        [1e6, 'M'],
        [1e3, 'K'],
      ]
      const [size, letter] = steps.find(([each]) => Math.abs(Number(amount)) >= each) || [1, '']
      amount = Number(amount) / size
      suffix = letter
      if (options.maximumFractionDigits === undefined)
        amount = Math.abs(amount) < 100 ? Number(amount.toPrecision(2)) : Math.round(amount)
    }
    if (maximumSignificantDigits !== undefined) amount = Number(Number(amount).toPrecision(maximumSignificantDigits))
    const places = style === 'currency' ? (currency === 'JPY' || currency === 'KRW' ? 0 : 2) : 0
    const least =
      options.minimumFractionDigits === undefined
        ? options.maximumFractionDigits === undefined
          ? places
          : Math.min(places, options.maximumFractionDigits)
        : options.minimumFractionDigits
    const most =
      options.maximumFractionDigits === undefined
        ? Math.max(
            least,
            style === 'percent' ? 0 : style === 'currency' ? places : maximumSignificantDigits !== undefined ? 20 : 3,
          )
        : options.maximumFractionDigits
    if (least > most || least < 0 || most > 100) throw new RangeError('maximumFractionDigits value is out of range.')
    const text = typeof amount === 'bigint' ? String(amount < 0n ? -amount : amount) : fixed(amount, most)
    const [whole, fraction = ''] = text.split('.')
    const digits = whole.padStart(minimumIntegerDigits, '0')
    const end = fraction.padEnd(least, '0')
    return (
      sign + symbol + (useGrouping === false ? digits : grouped(digits)) + (end === '' ? '' : '.' + end) + suffix + unit
    )
  }

  const dateOptions = [
    'weekday',
    'era',
    'year',
    'month',
    'day',
    'hour',
    'minute',
    'second',
    'hour12',
    'timeZone',
    'timeZoneName',
    'dateStyle',
    'timeStyle',
    'hourCycle',
  ]
  const two = (value) => String(value).padStart(2, '0')
  /**
   * @param {Date} date
   * @param {{ [name: string]: any }} given
   */
  function dateText(date, given = {}, kind = 'any') {
    only(given, dateOptions, 'Date format')
    if (Number.isNaN(date.getTime())) return 'Invalid Date'
    const options = { ...given }
    const styles = { dateStyle: options.dateStyle, timeStyle: options.timeStyle }
    if (styles.dateStyle) {
      Object.assign(
        options,
        {
          full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
          long: { year: 'numeric', month: 'long', day: 'numeric' },
          medium: { year: 'numeric', month: 'short', day: 'numeric' },
          short: { year: '2-digit', month: 'numeric', day: 'numeric' },
        }[styles.dateStyle],
      )
    }
    if (styles.timeStyle)
      Object.assign(
        options,
        { hour: 'numeric', minute: '2-digit' },
        styles.timeStyle === 'short' ? {} : { second: '2-digit' },
        /full|long/.test(styles.timeStyle) ? { timeZoneName: 'short' } : {},
      )
    const hasDate = ['weekday', 'year', 'month', 'day'].some((name) => options[name] !== undefined)
    const hasTime = ['hour', 'minute', 'second'].some((name) => options[name] !== undefined)
    if ((kind === 'date' && !hasDate) || (kind === 'any' && !hasDate && !hasTime))
      Object.assign(options, { year: 'numeric', month: 'numeric', day: 'numeric' })
    if ((kind === 'time' && !hasTime) || (kind === 'any' && !hasDate && !hasTime))
      Object.assign(options, { hour: 'numeric', minute: '2-digit', second: '2-digit' })
    if (options.era !== undefined) throw new RangeError('Date format: the option era is not supported by this shell')
    const zone = options.timeZone
    const shift =
      zone === undefined
        ? -date.getTimezoneOffset()
        : /^(?:UTC|GMT|Etc\/UTC)$/i.test(zone)
          ? 0
          : internal.sys('zone', String(zone), date.getTime() / 1000)
    if (shift === null) throw new RangeError('Invalid time zone specified: ' + zone)
    const local = new Date(date.getTime() + shift * 60000)
    const parts = {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth(),
      day: local.getUTCDate(),
      weekday: local.getUTCDay(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
    }
    const isText = options.month === 'long' || options.month === 'short'
    const year =
      options.year === undefined ? undefined : options.year === '2-digit' ? two(parts.year % 100) : String(parts.year)
    const day = options.day === undefined ? undefined : options.day === '2-digit' ? two(parts.day) : String(parts.day)
    const weekday =
      options.weekday === undefined
        ? undefined
        : options.weekday === 'long'
          ? days[parts.weekday]
          : options.weekday === 'short'
            ? days[parts.weekday].slice(0, 3)
            : days[parts.weekday][0]
    let text = ''
    if (isText) {
      const month = options.month === 'long' ? months[parts.month] : months[parts.month].slice(0, 3)
      text = month + (day === undefined ? '' : ' ' + day)
      if (year !== undefined) text += (day === undefined ? ' ' : ', ') + year
    } else
      text = [
        options.month === undefined
          ? undefined
          : options.month === '2-digit'
            ? two(parts.month + 1)
            : String(parts.month + 1),
        day,
        year,
      ]
        .filter((part) => part !== undefined)
        .join('/')
    if (weekday !== undefined)
      text =
        text === '' ? weekday : options.day !== undefined && text === day ? day + ' ' + weekday : weekday + ', ' + text
    let time = ''
    if (options.hour !== undefined || options.minute !== undefined || options.second !== undefined) {
      const is12 =
        options.hour12 === undefined
          ? options.hourCycle === undefined
            ? true
            : /12|11/.test(options.hourCycle)
          : options.hour12
      const hour = is12
        ? parts.hour % 12 || 12
        : options.hour12 === false && parts.hour === 0 && options.hourCycle === undefined
          ? 24
          : parts.hour
      const pieces = []
      if (options.hour !== undefined) pieces.push(options.hour === '2-digit' || !is12 ? two(hour) : String(hour))
      if (options.minute !== undefined)
        pieces.push(
          options.hour === undefined && options.second === undefined ? String(parts.minute) : two(parts.minute),
        )
      if (options.second !== undefined)
        pieces.push(
          options.minute === undefined && options.hour === undefined ? String(parts.second) : two(parts.second),
        )
      time = pieces.join(':') + (is12 && options.hour !== undefined ? ' ' + (parts.hour < 12 ? 'AM' : 'PM') : '')
    }
    if (options.timeZoneName !== undefined) {
      if (shift !== 0) throw new RangeError('Date format: names of time zones are not supported by this shell')
      time += ' UTC'
    }
    const between = styles.dateStyle && /full|long/.test(styles.dateStyle) ? ' at ' : ', '
    return [text, time].filter((part) => part !== '').join(between)
  }

  /** The order of characters: marks, digits, then letters without regard to accents and case. */
  function base(text) {
    return text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/ß/g, 'ss')
      .replace(/æ/g, 'ae')
      .replace(/ø/g, 'o')
      .replace(/ł/g, 'l')
  }
  const marks = '_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$'
  function weight(character) {
    if (/\s/.test(character)) return character.codePointAt(0)
    const at = marks.indexOf(character)
    if (at !== -1) return 1000 + at
    if (/\p{N}/u.test(character)) return 3000 + character.codePointAt(0)
    if (/\p{L}/u.test(character)) return 100000 + character.codePointAt(0)
    return 2000 + character.codePointAt(0) / 2000000
  }
  function compareBy(one, other, isNumeric) {
    const left = isNumeric ? one.match(/\d+|\D/gu) || [] : [...one]
    const right = isNumeric ? other.match(/\d+|\D/gu) || [] : [...other]
    for (let at = 0; at < left.length && at < right.length; at += 1) {
      if (left[at] === right[at]) continue
      if (isNumeric && /^\d/.test(left[at]) && /^\d/.test(right[at])) {
        const difference = Number(left[at]) - Number(right[at])
        if (difference !== 0) return Math.sign(difference)
        continue
      }
      const difference = weight(left[at][0] === undefined ? left[at] : left[at]) - weight(right[at])
      if (difference !== 0) return Math.sign(difference)
    }
    return Math.sign(left.length - right.length)
  }
  function compare(one, other, options = {}) {
    only(options, ['numeric', 'sensitivity', 'caseFirst', 'usage', 'ignorePunctuation'], 'Collator')
    const sensitivity = options.sensitivity || 'variant'
    if (options.ignorePunctuation)
      throw new RangeError('Collator: the option ignorePunctuation is not supported by this shell')
    const first = compareBy(base(one), base(other), options.numeric === true)
    if (first !== 0 || sensitivity === 'base') return first
    const accents = (text) => text.toLowerCase().normalize('NFD')
    if (sensitivity !== 'case') {
      const [left, right] = [accents(one), accents(other)]
      if (left !== right && base(one) === base(other)) return left < right ? -1 : 1
    }
    if (sensitivity === 'accent' || one === other) return 0
    const upperFirst = options.caseFirst === 'upper'
    for (let at = 0; at < one.length && at < other.length; at += 1) {
      if (one[at] === other[at]) continue
      const isLower = one[at] === one[at].toLowerCase()
      return isLower !== upperFirst ? -1 : 1
    }
    return 0
  }

  const method = (target, name, run) =>
    Object.defineProperty(target, name, { value: run, writable: true, configurable: true, enumerable: false })
  method(Number.prototype, 'toLocaleString', function toLocaleString(locales, options) {
    known(locales)
    return numberText(Number(this), options)
  })
  method(BigInt.prototype, 'toLocaleString', function toLocaleString(locales, options) {
    known(locales)
    return numberText(this.valueOf(), options)
  })
  for (const [name, kind] of [
    ['toLocaleString', 'any'],
    ['toLocaleDateString', 'date'],
    ['toLocaleTimeString', 'time'],
  ]) {
    method(
      Date.prototype,
      name,
      {
        /** @this {Date} */
        [name](locales, options) {
          if (String(locales) === 'sv-SE' || String(locales) === 'en-CA')
            return isoText(this, options, kind, String(locales))
          known(locales)
          return dateText(this, options, kind)
        },
      }[name],
    )
  }
  /** Two locales that scripts use for dates such as 2024-01-31. */
  function isoText(date, options, kind, name) {
    if (name === 'en-CA' && kind !== 'date') known(name)
    only(options, ['timeZone'], 'Date format')
    const zone = options?.timeZone
    const shift =
      zone === undefined
        ? -date.getTimezoneOffset()
        : /^(?:UTC|GMT)$/.test(zone)
          ? 0
          : internal.sys('zone', String(zone), date.getTime() / 1000)
    const text = new Date(date.getTime() + shift * 60000).toISOString()
    return kind === 'date'
      ? text.slice(0, 10)
      : kind === 'time'
        ? text.slice(11, 19)
        : text.slice(0, 10) + ' ' + text.slice(11, 19)
  }
  method(String.prototype, 'localeCompare', function localeCompare(other, locales, options) {
    known(locales)
    return compare(String(this), String(other), options)
  })
  method(String.prototype, 'toLocaleUpperCase', function toLocaleUpperCase() {
    return this.toUpperCase()
  })
  method(String.prototype, 'toLocaleLowerCase', function toLocaleLowerCase() {
    return this.toLowerCase()
  })

  /** The zone in words, as V8 puts it behind the time. */
  const plainDate = Date.prototype.toString
  const plainTime = Date.prototype.toTimeString
  const zoneName = (date) => {
    const name = internal.sys('zoneName', date.getTime() / 1000)
    return name ? ' (' + name + ')' : ''
  }
  method(Date.prototype, 'toString', function toString() {
    return Number.isNaN(this.getTime()) ? 'Invalid Date' : plainDate.call(this) + zoneName(this)
  })
  method(Date.prototype, 'toTimeString', function toTimeString() {
    return Number.isNaN(this.getTime()) ? 'Invalid Date' : plainTime.call(this) + zoneName(this)
  })
  method(Date.prototype, Symbol.toPrimitive, function (hint) {
    if (hint === 'number') return this.getTime()
    return this.toString()
  })

  class NumberFormat {
    constructor(locales, options = {}) {
      known(locales)
      method(this, 'format', (value) => numberText(typeof value === 'bigint' ? value : Number(value), options))
    }
    resolvedOptions() {
      return { locale: 'en-US', numberingSystem: 'latn' }
    }
  }
  class DateTimeFormat {
    /** @type {any} */
    $zone
    constructor(locales, options = {}) {
      known(locales)
      method(this, 'format', (value) => {
        const date = value === undefined ? new Date() : new Date(value)
        return dateText(
          date,
          Object.keys(options).some((name) => !/timeZone|hour12/.test(name))
            ? options
            : { ...options, year: 'numeric', month: 'numeric', day: 'numeric' },
          'none',
        )
      })
      method(this, '$zone', options.timeZone)
    }
    resolvedOptions() {
      return {
        locale: 'en-US',
        calendar: 'gregory',
        numberingSystem: 'latn',
        timeZone: this.$zone || process.env.TZ || 'UTC',
      }
    }
  }
  class Collator {
    constructor(locales, options = {}) {
      known(locales)
      method(this, 'compare', (one, other) => compare(String(one), String(other), options))
    }
  }
  const shownLocale = (locales) => (String([locales].flat()[0]) === 'en' ? 'en' : 'en-US')
  class PluralRules {
    /** @type {any} */
    $type
    /** @type {any} */
    $locale
    constructor(locales, options = {}) {
      known(locales)
      only(options, ['type', 'localeMatcher'], 'PluralRules')
      if (options.type !== undefined && !['cardinal', 'ordinal'].includes(options.type))
        throw new RangeError('Value ' + options.type + ' out of range for Intl.PluralRules options property type')
      method(this, '$type', options.type || 'cardinal')
      method(this, '$locale', shownLocale(locales))
    }
    select(given) {
      const value = Number(given)
      if (this.$type === 'cardinal') return Math.abs(value) === 1 ? 'one' : 'other'
      const whole = Math.abs(value)
      if (!Number.isInteger(whole) || [11, 12, 13].includes(whole % 100)) return 'other'
      return { 1: 'one', 2: 'two', 3: 'few' }[whole % 10] || 'other'
    }
    resolvedOptions() {
      return {
        locale: this.$locale,
        type: this.$type,
        minimumIntegerDigits: 1,
        minimumFractionDigits: 0,
        maximumFractionDigits: 3,
        pluralCategories: this.$type === 'cardinal' ? ['one', 'other'] : ['few', 'one', 'two', 'other'],
      }
    }
  }
  class ListFormat {
    /** @type {any} */
    $options
    constructor(locales, options = {}) {
      known(locales)
      only(options, ['type', 'style', 'localeMatcher'], 'ListFormat')
      const { type = 'conjunction', style = 'long' } = options
      if (!['conjunction', 'disjunction', 'unit'].includes(type))
        throw new RangeError('Value ' + type + ' out of range for Intl.ListFormat options property type')
      if (!['long', 'short', 'narrow'].includes(style))
        throw new RangeError('Value ' + style + ' out of range for Intl.ListFormat options property style')
      method(this, '$options', { locale: shownLocale(locales), type, style })
    }
    formatToParts(list) {
      const all = [...list]
      const { type, style } = this.$options
      const word = type === 'disjunction' ? 'or' : type === 'unit' ? '' : style === 'long' ? 'and' : '&'
      const shown = type === 'conjunction' && style === 'narrow' ? '' : word
      const comma = type === 'unit' && style === 'narrow' ? ' ' : ', '
      const parts = []
      for (const [index, value] of all.entries()) {
        if (typeof value !== 'string')
          throw new TypeError('Iterable yielded ' + String(value) + ' which is not a string')
        const isLast = index === all.length - 1
        const between = !isLast || shown === '' ? comma : (all.length > 2 ? ', ' : ' ') + shown + ' '
        if (index > 0) parts.push({ type: 'literal', value: between })
        parts.push({ type: 'element', value })
      }
      return parts
    }
    format(list) {
      return this.formatToParts(list)
        .map(({ value }) => value)
        .join('')
    }
    resolvedOptions() {
      return this.$options
    }
  }
  const missing = (name) =>
    class {
      constructor() {
        throw new Error('Intl.' + name + ' is not supported by this shell')
      }
    }
  /** They can be called without `new`, and two of them on an object that becomes one, as they once had to be. */
  const legacy = Symbol('IntlLegacyConstructedSymbol')
  function callable(Type, takesOver) {
    const made = new Proxy(Type, {
      apply(_target, self, given) {
        const format = new Type(...given)
        if (!takesOver || self === null || typeof self !== 'object' || !(self instanceof Type)) return format
        Object.defineProperty(self, legacy, { value: format })
        return self
      },
    })
    method(Type.prototype, 'constructor', made)
    method(Type, 'supportedLocalesOf', (locales) => [locales === undefined ? [] : locales].flat().filter(isKnown))
    Object.defineProperty(Type.prototype, Symbol.toStringTag, { value: 'Intl.' + Type.name, configurable: true })
    return made
  }
  const isKnown = (locale) => /^en(?:-US)?$/.test(String(locale))
  const intl = {
    getCanonicalLocales: (list) => [list === undefined ? [] : list].flat(),
    DateTimeFormat: callable(DateTimeFormat, true),
    NumberFormat: callable(NumberFormat, true),
    Collator: callable(Collator, false),
    PluralRules,
    ListFormat,
  }
  Object.defineProperty(intl, Symbol.toStringTag, { value: 'Intl', configurable: true })
  for (const name of ['RelativeTimeFormat', 'Segmenter', 'DisplayNames', 'Locale']) intl[name] = missing(name)
  Object.defineProperty(globalThis, 'Intl', { value: intl, writable: true, configurable: true, enumerable: false })
})()
