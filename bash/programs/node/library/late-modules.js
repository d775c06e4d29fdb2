/** Modules that are loaded when a script asks for them, by the file in `late/` that has them. */
'use strict'
;(() => {
  const { internal } = $polyfs
  internal.defineLate('zlib', ['zlib'])
})()
