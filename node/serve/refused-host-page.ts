/** What a browser shows when the server was reached under a name that it does not know, such as that of a forwarded port. */
export function refusedHostPage(host: string | undefined): string {
  // The name comes from the request: it is repeated only where it can be nothing but a name.
  const name = host !== undefined && /^[\w.-]{1,200}(:\d{1,5})?$/.test(host) ? host : 'NAME'
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Host not allowed – polyfs</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>Host not allowed</h1>
<p>This polyfs server was reached as <code>${name}</code>. It answers only under names it knows, so that no other web page can
reach it through your browser.</p>
<p>If you forwarded its port, as ssh -L, Codespaces and similar tools do, start it again with the name:</p>
<pre><code>polyfs --allow-host ${name} …
npm start -- --allow-host ${name}</code></pre>
</html>
`
}
