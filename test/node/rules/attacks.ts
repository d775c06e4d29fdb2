/** Ways to read a file that a rule denies: through commands of the shell, through git and its past, and through the tools of every dialect. */
import { denied } from './place.js'

export interface Attack {
  name: string
  /** A script of the shell, or calls of a dialect's tools, of which the answers are looked through. */
  script?: string
  dialect?: string
  calls?: readonly (readonly [tool: string, args: object])[]
}

/** How the same path can be written. */
export function spellings(path: string): string[] {
  const name = path.split('/').at(-1) as string
  const directory = path.slice(0, -name.length)
  return [
    path,
    `./${path}`,
    `/w/${path}`,
    `src/../${path}`,
    `/w//${path}`,
    `src/./.././${path}`,
    `${directory}./${name}`,
    `/w/src/../../w/${path}`,
  ]
}

/** Programs that show a file; `%` is its path. */
const readers = `cat %
cat < %
cat - < %
cat -A %
tac %
head -n 5 %
head -c 100 %
tail -n 5 %
tail -c +1 %
nl %
rev %
od -c %
od -An -tx1 -v %
od -An -to1 -v %
xxd %
xxd -p %
hexdump -C %
base64 %
base64 -w0 < %
base32 -w0 % | base32 -d
strings %
sed '' %
sed -n 1p %
sed -n w/dev/stdout %
awk 1 %
awk '{print $0}' < %
awk 'BEGIN { while ((getline line < "%") > 0) print line }'
grep '' %
grep -n KEY %
grep -r KEY .
grep -rh KEY . --include='*'
grep -f % readme.md; grep -vf readme.md %
rg --hidden --no-ignore KEY
rg -uuu KEY
rg KEY %
cut -c1-200 %
cut -d= -f2 %
paste %
paste -s % readme.md
sort %
sort -o out %; cat out
uniq %
fold -w 300 %
fmt %
expand %
unexpand %
tr a a < %
tr A-Za-z N-ZA-Mn-za-m < %
column %
pr -t %
join -t= % %
comm % readme.md
comm % /dev/null
diff % /dev/null
diff /dev/null %
diff -u readme.md %
cmp -l % /dev/zero
sdiff % readme.md
split -l 1 % part; cat part*
csplit -s % 1; cat xx*
tee < %
tee copy < % > /dev/null; cat copy
dd if=% status=none
dd if=% of=copy status=none; cat copy
cp % copy; cat copy
cp -r . /tmp/all; cat /tmp/all/%
cp -a /w /tmp/w; cat /tmp/w/%
cp -l % copy; cat copy
cp -s /w/% copy; cat copy
install % copy; cat copy
mv % copy; cat copy
mv % shown.txt; cat shown.txt
ln % copy; cat copy
ln -s /w/% copy; cat copy
ln -sr % copy; cat copy
ln -s /w all; cat all/%
ln -s . here; cat here/%
ln -s /w/readme.md/../% copy; cat copy
ln -s ../w /tmp/x; cat /tmp/x/%
readlink -f %; cat $(readlink -f %)
cat "$(realpath %)"
echo "$(<%)"
echo "$(cat %)"
x=$(<%); echo $x
mapfile -t lines < %; echo "\${lines[@]}"
readarray lines < %; echo "\${lines[@]}"
while read -r line; do echo "$line"; done < %
read -r line < %; echo "$line"
exec 3< %; cat <&3
exec 3<> %; cat <&3
exec < %; cat
cat <(cat %)
cat <<< "$(<%)"
. %; echo $KEY
source %; echo $KEY
set -a; . %; env | grep KEY
bash -x %
bash -c 'cat "$0"' %
sh -c 'cat %'
env cat %
xargs cat <<< %
xargs -a % echo
echo % | xargs cat
find . -name '*' -type f -exec cat {} +
find . -type f -exec cat {} \\;
find / -type f -not -path '/proc/*' -exec cat {} + 2> /dev/null
find . -type f -print0 | xargs -0 cat
find . -type f | while read -r f; do cat "$f"; done
cat .*
cat .e*
cat .??*
cat .[a-z]nv
cat ./.env*
cat config/*
cat config/prod.*
cat c*/p*
cat private/*/*
cat */*
cat */*/*
shopt -s dotglob globstar; cat **
shopt -s dotglob; cat *
tar c . | tar xO
tar cf a.tar .; tar xOf a.tar
tar cf - % | cat
tar czf a.tgz %; tar xOzf a.tgz
tar cf a.tar -C / w; mkdir x; tar xf a.tar -C x; cat x/w/%
zip -qr a.zip .; unzip -p a.zip
zip -q - % | funzip
zip -q a.zip %; unzip -p a.zip '*'
gzip -c % | gzip -dc
gzip -k %; zcat %.gz
bzip2 -c % | bzip2 -dc
xz -c % | xz -dc
zcat -f %
zgrep KEY %
cpio -o <<< % | strings
python3 -c 'print(open("%").read())'
python3 -c 'import os; print(os.read(os.open("%", os.O_RDONLY), 999))'
python3 -c 'from pathlib import Path; print(Path("%").read_text())'
python3 -c 'import shutil; shutil.copy("%", "copy"); print(open("copy").read())'
python3 -c 'import glob; [print(open(f).read()) for f in glob.glob("**/*", recursive=True, include_hidden=True) if "." in f]'
python3 -c 'import os; [print(open(os.path.join(d, f), errors="replace").read()) for d, _, fs in os.walk(".") for f in fs if ".git" not in d]'
python3 -c 'import zipfile; z = zipfile.ZipFile("z.zip", "w"); z.write("%"); z.close(); print(zipfile.ZipFile("z.zip").read("%"))'
python3 -c 'import tarfile, io; b = io.BytesIO(); t = tarfile.open(fileobj=b, mode="w"); t.add("%"); t.close(); print(b.getvalue())'
python3 -c 'import os; os.rename("%", "copy"); print(open("copy").read())'
python3 -c 'import os; os.symlink("/w/%", "copy"); print(open("copy").read())'
python3 -c 'import os; os.link("%", "copy"); print(open("copy").read())'
python3 -c 'import subprocess; print(subprocess.run(["cat", "%"], capture_output=True, text=True).stdout)'
python3 -c 'import mmap; f = open("%", "rb"); print(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[:])'
python3 -c 'import sqlite3; c = sqlite3.connect(":memory:"); print(open("%").read())'
python3 -c 'import linecache; print(linecache.getline("%", 1))'
python3 -c 'import fileinput; [print(l) for l in fileinput.input("%")]'
python3 -c 'import configparser; c = configparser.ConfigParser(); c.read_string("[a]\\n" + open("%").read()); print(dict(c["a"]))'
python3 %
node -e 'console.log(require("fs").readFileSync("%", "utf8"))'
node -e 'require("fs").promises.readFile("%", "utf8").then(console.log)'
node -e 'require("fs").createReadStream("%").pipe(process.stdout)'
node -e 'const fs = require("fs"); fs.copyFileSync("%", "copy"); console.log(fs.readFileSync("copy", "utf8"))'
node -e 'const fs = require("fs"); fs.renameSync("%", "copy"); console.log(fs.readFileSync("copy", "utf8"))'
node -e 'const fs = require("fs"); const fd = fs.openSync("%"); const b = Buffer.alloc(99); fs.readSync(fd, b); console.log(b.toString())'
node -e 'const fs = require("fs"); for (const f of fs.readdirSync(".", { recursive: true })) try { console.log(fs.readFileSync(f, "latin1")) } catch {}'
node -e 'const fs = require("fs"); fs.symlinkSync("/w/%", "copy"); console.log(fs.readFileSync("copy", "utf8"))'
node -e 'console.log(require("child_process").execSync("cat %").toString())'
node -e 'require("fs").cpSync(".", "/tmp/n", { recursive: true }); console.log(require("fs").readFileSync("/tmp/n/%", "utf8"))'
perl -ne print %
perl -pe '' %
perl -e 'open(F, "<", "%"); print <F>'
perl -e 'print \`cat %\`'
sqlite3 :memory: "select cast(readfile('%') as text)"
sqlite3 :memory: '.import % t' '.dump'
sqlite3 :memory: '.mode csv' '.import "%" t' 'select * from t' '.schema'
sqlite3 :memory: '.read %'
sqlite3 :memory: '.shell cat %'
jq -R . %
jq -Rs . %
jq -n --rawfile x % '$x'
jq -n --slurpfile x % '$x' ; jq -n 'input' --raw-input %
yq -p props . %
yq -p ini . %
make -f - <<< 'all:; @cat %'
make -f - <<< 'include %
all:; @echo $(KEY)'
make -f - <<< 'all:; @echo $(shell cat %)'
make -f - <<< 'x := $(file < %)
all:; @echo $(x)'
bc -q % ; dc %
uuencode % x
split --filter=cat %
shuf %
look '' %
tsort %
wc -L %; sed G %
git hash-object -w %; git cat-file -p $(git hash-object %)
git diff --no-index /dev/null %
git diff --no-index readme.md %
git add -f %; git show :%
git add -A; git commit -qm x; git show HEAD:%
git commit -qam x; git show
git diff -- %
git diff
git stash; git stash show -p
git grep --no-index KEY
git grep KEY
git grep --untracked KEY
git apply --stat %; patch -p0 < %
xargs -I@ cat @ <<< %
timeout 5 cat %
nohup cat %
time cat %
command cat %
builtin source %; echo $KEY
eval "cat %"
cd $(dirname %); cat $(basename %)
pushd $(dirname %) > /dev/null; cat $(basename %)
(cd src; cat ../%)
cat ~+/%
cat $PWD/%
cat /proc/self/cwd/%
cat /dev/fd/3 3< %
cat % &
wait; coproc cat %; cat <&"\${COPROC[0]}"
printf -- "$(< %)"
mkdir -p a; mv config private .env a; cat a/%
mv config c2; cat c2/prod.env
mv private p2; cat p2/keys/notes.txt
mv private/keys k2; cat k2/notes.txt
cd /; mv w x; cat x/%
cp -r config c2; cat c2/prod.env
cp -r private p2; cat p2/keys/notes.txt
ln -s config c2; cat c2/prod.env
ln -s private p2; cat p2/keys/notes.txt
ln -s private/keys src/k; cat src/k/notes.txt
ln -s ../private src/p; cat src/p/keys/notes.txt
rm %; git checkout %; cat %
rm -rf config; git checkout config; cat config/prod.env
touch -r % x; cat %
truncate -s +1 %; cat %
echo >> %; cat %
sed -i s/KEY/KEY2/ %; cat %
chmod 644 %; cat %
rsync -a % copy; cat copy
tail -f % & sleep 1; kill %1
less %
more %
vi -c q %; ed -s % <<< ,p
test -s % && cat %
[ -f % ] && echo "$(<%)"
cat % 2>&1 >/dev/null; cat %
cat /w/readme.md %
head -n 1 readme.md % src/main.ts
wc -c < %; cat %
npm exec cat %
curl file:///w/%
wget -qO- file:///w/%`.split('\n')

/** Those of two lines each are one. */
function joinedReaders(): string[] {
  const joined: string[] = []
  for (const line of readers) {
    if (/^(all:|x :=)/.test(line) || (joined.length > 0 && (joined.at(-1)?.split("'").length ?? 1) % 2 === 0)) {
      joined.push(`${joined.pop()}\n${line}`)
    } else joined.push(line)
  }
  return joined
}

/** What git can be asked for the past of a file. */
const gitReaders = `git show HEAD:%
git show HEAD:./%
git show @:%
git show here:%
git show other:%
git show master:%
git show :%
git show :0:%
git show stash:%
git show stash@{0}:%
git show 'HEAD^{tree}:%'
git show $(git rev-parse HEAD:%)
git show $(git rev-parse :%)
git cat-file -p HEAD:%
git cat-file -p :%
git cat-file blob HEAD:%
git cat-file blob $(git rev-parse HEAD:%)
git cat-file blob $(git rev-parse stash:%)
git cat-file --batch <<< HEAD:%
git cat-file --batch <<< $(git rev-parse :%)
git cat-file --batch-all-objects --batch
git cat-file --textconv HEAD:%
git cat-file --filters HEAD:%
git ls-tree -r HEAD | while read -r m t o f; do git cat-file -p $o; done
git ls-files -s | while read -r m o s f; do git cat-file -p $o; done
git rev-list --objects --all | while read -r o f; do git cat-file -p $o; done
git log -p
git log -p -- %
git log -p --all
git log -p --follow -- %
git log -p --full-diff
git log -pg
git log -p --word-diff
git log -u --reverse
git log -p -U0
git log -p --text
git log -p --binary
git log -S KEY -p
git log -G KEY -p
git log -L1,1:%
git reflog -p
git show
git show HEAD
git show --text HEAD
git show stash
git show -m stash
git show --stat -p HEAD
git show here
git stash show -p
git stash show -p --text stash@{0}
git stash pop; cat %
git stash apply; git diff
git stash branch b; cat %
git diff HEAD
git diff --cached
git diff --staged -- %
git diff --text HEAD
git diff --binary
git diff HEAD stash
git diff HEAD stash -- %
git diff --word-diff HEAD
git diff -R HEAD
git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD
git diff HEAD:% :%
git diff $(git rev-parse HEAD:%) $(git rev-parse :%)
git diff HEAD:% HEAD:readme.md
git diff --ext-diff HEAD
git diff-tree -p HEAD
git diff-tree -p --root HEAD
git diff-tree -p HEAD stash
git diff-index -p HEAD
git diff-index -p --cached HEAD
git diff-files -p
git whatchanged -p
git format-patch -1 --stdout
git format-patch --root -o /tmp/p HEAD; cat /tmp/p/*
git archive HEAD | tar xO
git archive --format=zip -o /tmp/a.zip HEAD; unzip -p /tmp/a.zip
git archive HEAD % | strings
git archive --prefix=x/ stash | tar xO
git grep KEY HEAD
git grep KEY $(git rev-list --all)
git grep --cached KEY
git grep -h '' HEAD -- %
git blame %
git blame HEAD -- %
git blame -p HEAD %
git annotate %
git checkout HEAD -- %; cat %
git checkout stash -- %; cat %
git checkout stash -- .; cat %
git checkout -f HEAD; cat %
git checkout -p HEAD -- % <<< y; cat %
git restore %; cat %
git restore --source=stash %; cat %
git restore --source=HEAD --staged --worktree %; cat %
git reset --hard; cat %
git reset --hard stash; cat %
git reset -q stash; git diff --cached
git worktree add -q /tmp/t HEAD; cat /tmp/t/%
git worktree add -q ../t; cat ../t/%
git worktree add -q t2 stash; cat t2/%
git worktree add -q --no-checkout t3; cd t3; git show HEAD:%
git worktree add -q --detach src/t4; cd src/t4; git show HEAD:%; cat %
git clone -q . /tmp/c; cat /tmp/c/%
git clone -q . copy; cat copy/%
git clone -q . copy; git -C copy show HEAD:%
git clone -q --bare . /tmp/b; git -C /tmp/b show HEAD:%
git clone -q --no-checkout . c2; git -C c2 show HEAD:%
git clone -q --mirror . m.git; git -C m.git log -p
git init -q /tmp/r; git -C /tmp/r fetch -q /w; git -C /tmp/r show FETCH_HEAD:%
git init -q n; git -C n fetch -q .. ; git -C n log -p FETCH_HEAD
git init -q n; git -C n pull -q ..; cat n/%
git init -q --bare /tmp/q; git push -q /tmp/q master; git -C /tmp/q show master:%
git init -q --bare q.git; git push -q q.git master; git -C q.git show master:%
git remote add x /w; git fetch -q x; git show x/master:%
git read-tree --prefix=pub/ HEAD; git show :pub/%
git read-tree --prefix=pub/ HEAD; git checkout-index -a; cat pub/%
git read-tree --prefix=pub/ stash; git checkout pub; cat pub/%
git read-tree -u --prefix=pub/ HEAD; cat pub/%
git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:%),pub.txt; git show :pub.txt
git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:%),pub.txt; git checkout pub.txt; cat pub.txt
git update-index --add --cacheinfo 100644,$(git rev-parse :%),pub.txt; git commit -qm x; git show HEAD:pub.txt
git update-index --index-info <<< "100644 $(git rev-parse HEAD:%)	pub.txt"; git show :pub.txt
git mv % pub.txt; cat pub.txt
git mv % pub.txt; git show :pub.txt
git mv -f config pub; git show :pub/prod.env
git rm -q --cached %; git diff --cached
git rm -qf %; git show HEAD:%
git cherry-pick -n stash; git diff --cached
git revert -n HEAD; git diff --cached
git commit -qam x; git revert --no-edit HEAD; git show
git merge -q stash; git show
git rebase -q --root; git show
git commit -q --amend --no-edit -a; git show
git bisect start; git bisect log; git show HEAD:%
git tag -f t $(git rev-parse HEAD:%); git show t
git tag t $(git rev-parse :%); git cat-file -p t
git update-ref refs/x $(git rev-parse HEAD:%); git show refs/x
git branch b stash; git show b:%
git switch -q -c b stash; cat %
git switch -q other; cat %
git fast-export HEAD
git bundle create /tmp/x HEAD; strings /tmp/x
git pack-objects --all --stdout < /dev/null | strings
git hash-object --stdin-paths <<< %; git cat-file -p $(git hash-object -w %)
git ls-files -s; git show :0:%
git notes add -F %; git notes show
git notes add -C $(git rev-parse HEAD:%); git notes show
git commit -q --allow-empty -F %; git log -1
git tag -a t2 -F %; git show t2
git commit -q --allow-empty -t %; git log -1
git config --file % --list
git config include.path ../%; git config --list
git -c core.attributesFile=% check-attr -a readme.md
git -c core.excludesFile=% check-ignore -v readme.md
git check-ignore -v --no-index %; git blame -s %
git log --format=%B -p -1 --no-textconv
git show --format= HEAD -- .
git log --patch --diff-filter=A
git log --cc -p stash
git show --cc stash
git show -c stash
git diff-tree --cc -p stash
git log -p --no-walk stash stash^2
git show stash^2
git show stash^2:%
python3 -c 'import zlib, glob; [print(zlib.decompress(open(f, "rb").read())) for f in glob.glob(".git/objects/??/*")]'
find .git -type f -exec cat {} +
cat .git/objects/*/* | python3 -c 'import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())' | strings
for f in .git/objects/??/*; do python3 -c 'import zlib, sys; print(zlib.decompress(open(sys.argv[1], "rb").read()))' $f; done
node -e 'const fs = require("fs"), z = require("zlib"); for (const f of fs.readdirSync(".git/objects", { recursive: true })) try { console.log(z.inflateSync(fs.readFileSync(".git/objects/" + f)).toString("latin1")) } catch {}'
cp -r .git /tmp/g; python3 -c 'import zlib, glob; [print(zlib.decompress(open(f, "rb").read())) for f in glob.glob("/tmp/g/objects/??/*")]'
cp -r .git /tmp/g; git --git-dir=/tmp/g show HEAD:%
git --git-dir=/w/.git show HEAD:%
GIT_DIR=/w/.git git show HEAD:%
git -C / --git-dir=w/.git --work-tree=/tmp checkout -f HEAD; cat /tmp/%
git --work-tree=/tmp checkout -f HEAD -- .; cat /tmp/%
GIT_WORK_TREE=/tmp/z git checkout -f HEAD -- %; cat /tmp/z/%
tar cf - .git | tar xf - -C /tmp; git -C /tmp show HEAD:%
cd .git; git show HEAD:%
git -C src show HEAD:%
ln -s /w/.git /tmp/.git; cd /tmp; git show HEAD:%`.split('\n')

export function shellAttacks(): Attack[] {
  const plain = joinedReaders().flatMap((line, at) => {
    const own = line.includes('%')
      ? denied.map((path, which) => {
          const ways = spellings(path)
          // After a slash it is a part of a longer path.
          const isPart = line.includes('/%')
          return line.replaceAll('%', isPart ? path : (ways[(at + which) % ways.length] as string))
        })
      : [line]
    return [...new Set(own)]
  })
  const past = gitReaders.flatMap((line) =>
    line.includes('%') ? denied.map((path) => line.replaceAll('%', path)) : [line],
  )
  return [...plain, ...past].map((script) => ({ name: script, script }))
}
