/** Files that are neither code nor pages. Some hold traps: another encoding, CRLF, a built copy, old names in a changelog. */

export const version = '2.4.1'

const regions = ['north', 'south', 'east', 'west', 'central', 'islands']
const services = ['billing', 'mailer', 'export']

export function otherFiles() {
  return {
    '.gitignore': 'dist/\nnode_modules/\n*.tmp\n',
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': readme,
    'CHANGELOG.md': changelog,
    'dist/bundle.js':
      'function parseRecord(e){return e.split(";")}function parseRecords(e){return e.map(parseRecord)}\n',
    'legacy/TARIF.INI': Buffer.from(tariff.replaceAll('\n', '\r\n'), 'latin1'),
    'data/prices.csv': `\ufeff${prices()}`,
    ...Object.fromEntries(
      regions.flatMap((region) => services.map((name) => [`services/${region}/${name}.json`, service(region, name)])),
    ),
  }
}

const manifest = {
  name: 'ledger',
  version,
  private: true,
  type: 'module',
  bin: { ledger: 'src/cli.js' },
  scripts: { start: 'node src/cli.js serve', test: 'node --test test' },
}

const readme = `# ledger

Books entries, sends statements and prints reports. Version ${version}.

    npm start

See [the documentation](docs/index.md), and [how to get started](docs/guide/getting-started.md).
`

const changelog = `# Changelog

## 2.4.1

- \`parseRecord\` accepts a trailing separator.
- Reports have pages.

## 2.4.0

- \`parseRecord\` replaces \`splitRecord\`.
- Statements are sent by mail.

## 2.3.0

- First release with services for each region.
`

const tariff = `; Tarife f\xfcr die Gesch\xe4ftsstellen. Nicht in einem anderen Zeichensatz speichern.
[Allgemein]
Name=B\xfcro Z\xfcrich
W\xe4hrung=CHF
G\xfcltigAb=01.04.2026

[Geb\xfchren]
Grundgeb\xfchr=12.50
Buchung=0.35
Auszug=1.20
R\xfcckbuchung=4.80

[Erm\xe4ssigung]
Jugend=0.50
Sch\xfcler=0.50
Grundgeb\xfchr=6.25

[Fu\xdfzeile]
Text=Preise inkl. MwSt., \xc4nderungen vorbehalten. \xa9 B\xfcro Z\xfcrich
`

/** A table as a spreadsheet saves it: a byte order mark, and CRLF. */
function prices() {
  const names = [
    'Account',
    'Statement',
    'Transfer',
    'Standing order',
    'Card',
    'Deposit box',
    'Cheque',
    'Currency change',
  ]
  const rows = names.flatMap((name, i) =>
    ['basic', 'plus', 'business'].map(
      (plan, j) => `${100 + i * 10 + j};${name};${plan};${(1.5 * (i + 1) + j * 2).toFixed(2)}`,
    ),
  )
  return ['number;name;plan;price', ...rows, ''].join('\r\n')
}

/** Services in the region `islands` are on a slow line, and have a longer timeout. */
function service(region, name) {
  const settings = {
    name: `${name}-${region}`,
    url: `https://${name}.${region}.ledger.example`,
    timeoutSeconds: region === 'islands' ? 90 : 30,
    retries: name === 'mailer' ? 5 : 2,
    alerts: { channel: `ops-${region}`, timeoutSeconds: 30 },
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}
