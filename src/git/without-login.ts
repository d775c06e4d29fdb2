/** An address without the user name and password in it, which are nobody's to store or to print. */
export function withoutLogin(url: string): string {
  return url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, '$1')
}
