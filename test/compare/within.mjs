/** What a promise gives, or undefined if it takes longer. */
export async function within(ms, promise) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
