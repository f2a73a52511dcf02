/** How the report and the page look: light and dark as the reader's system is, from phones to wide screens, and on paper. */
const LIGHT = `--ground:#f4f6f9;--card:#fff;--ink:#18202e;--muted:#566073;--line:#dde2ea;--grid:#e8ebf1;--track:#e9edf3;
--accent:#1f5fa8;--band:#1f5fa8;--good:#0b6e4f;--good-soft:#dcf3ea;--bad:#b42318;--bad-soft:#fde7e4;--warn:#8a4b08;--warn-soft:#fdf0d9;--plain-soft:#e7ebf2;
--s0:#0072b2;--s1:#c14f00;--s2:#00795a;--s3:#a8518a;--s4:#2b7fae;--s5:#7d6200;--s6:#444b5a;--worse:180,35,24;--better:31,95,168`;
const DARK = `--ground:#0d1117;--card:#161c26;--ink:#e7ebf2;--muted:#9fabbe;--line:#2b3444;--grid:#222b39;--track:#252e3d;
--accent:#74b3ff;--band:#74b3ff;--good:#56d3a0;--good-soft:#12372c;--bad:#ff8b80;--bad-soft:#451d1b;--warn:#f0b35a;--warn-soft:#3d2c10;--plain-soft:#28313f;
--s0:#5db4ec;--s1:#ff9d5c;--s2:#3fd0a4;--s3:#e7a3cb;--s4:#9ad4ff;--s5:#dcb83f;--s6:#b8c0d0;--worse:255,100,88;--better:90,165,255`;

/** Opacity of each step in hundredths. */
const SHADES = ['00', '06', '12', '18', '24', '30'];

function shades(): string {
  return [1, 2, 3, 4, 5]
    .map(
      (step) =>
        `.worse-${step}{background:rgba(var(--worse),0.${SHADES[step]})}.better-${step}{background:rgba(var(--better),0.${SHADES[step]})}`,
    )
    .join('\n');
}

function series(): string {
  return [0, 1, 2, 3, 4, 5, 6]
    .map(
      (i) =>
        `circle.series-${i}{fill:var(--s${i})}path.series-${i}{stroke:var(--s${i})}path.error.series-${i}{fill:var(--s${i});stroke:none}li.series-${i}::before{background:var(--s${i})}`,
    )
    .join('\n');
}

export const STYLE = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
:root[data-theme=light]{color-scheme:light;${LIGHT}}
:root[data-theme=dark]{color-scheme:dark;${DARK}}
@media print{:root,:root[data-theme]{color-scheme:light;${LIGHT};--ground:#fff}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 Inter,system-ui,-apple-system,'Segoe UI',sans-serif;-webkit-text-size-adjust:100%;overflow-wrap:anywhere}
.page{max-width:84rem;margin:0 auto;padding:1.25rem clamp(.75rem,3vw,2.5rem) 4rem}
.top{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin-bottom:1rem}
.brand{font-weight:700;letter-spacing:-.01em;color:var(--accent)}
h1{font-size:1.05rem;font-weight:600;margin:0;min-width:0}
h2{font-size:1.15rem;line-height:1.35;margin:0 0 .5rem;font-weight:650}
h2 small,h3 small{color:var(--muted);font-weight:400;font-size:.85em}
h3{font-size:.95rem;margin:1.5rem 0 .5rem;font-weight:600}
p{margin:.4rem 0}
a{color:var(--accent)}
code{font:.92em ui-monospace,'DejaVu Sans Mono',monospace}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1.1rem clamp(.9rem,2vw,1.5rem);margin:0 0 1rem}
.verdict{border-left:6px solid var(--muted)}
.verdict.good{border-left-color:var(--good)}.verdict.bad{border-left-color:var(--bad)}.verdict.warn{border-left-color:var(--warn)}
.verdict p.sentence{font-size:clamp(1.05rem,1.6vw,1.3rem);line-height:1.45;margin:.55rem 0 0;max-width:60rem}
.badge{display:inline-block;padding:.2rem .75rem;border-radius:99px;font-weight:650;background:var(--plain-soft);color:var(--ink)}
.badge::first-letter{text-transform:uppercase}
.badge.small{font-size:.8rem;padding:.1rem .6rem;vertical-align:.1em}
.badge.good{background:var(--good-soft);color:var(--good)}.badge.bad{background:var(--bad-soft);color:var(--bad)}.badge.warn{background:var(--warn-soft);color:var(--warn)}
.facts{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:1rem 0 0}
.facts div{min-width:0}
dt{color:var(--muted);font-size:.8rem}
dd{margin:0;overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.6rem;margin:.8rem 0}
.tiles div{border:1px solid var(--line);border-radius:9px;padding:.55rem .8rem}
.tiles b{font-size:1.35rem;font-weight:650;font-variant-numeric:tabular-nums}
.tiles small{color:var(--muted)}
.finding{border-left:4px solid var(--warn);padding:.1rem 0 .1rem .9rem;margin:.8rem 0}
.finding p{margin:.15rem 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;list-style:none;margin:0;padding:0;font-size:.92rem}
.muted,.note{color:var(--muted)}
.note,figcaption{font-size:.88rem}
figure{margin:0 0 1rem}
figcaption{color:var(--muted);margin-top:.5rem;max-width:62rem}
figcaption strong{color:var(--ink);font-weight:550}
.scroll{overflow-x:auto;position:relative}
table{overflow-wrap:break-word;border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.34rem .7rem .34rem 0;text-align:left;border-bottom:1px solid var(--line);vertical-align:middle}
thead th{color:var(--muted);font-weight:500;font-size:.82rem;vertical-align:bottom}
tbody th{font-weight:500}
.number{text-align:right;white-space:nowrap}
.number:first-child{width:4rem}.long{overflow-wrap:anywhere}.number.long{white-space:normal}
.strong{font-weight:650}
td.bad,small.bad{color:var(--bad)}td.good,small.good{color:var(--good)}
small.below{display:block;line-height:1.2}
.few{color:var(--muted)}
td[class*=worse-],td[class*=better-]{padding-left:.35rem}
[class*=worse-],[class*=better-],[class*=worse-] .muted,[class*=better-] .muted{color:var(--ink)}
tbody th{min-width:5.5rem;max-width:18rem}tbody th.reason{min-width:11rem}tbody td .name{display:inline-block;max-width:18rem}
.role{font-size:.75rem;color:var(--muted);border:1px solid var(--line);border-radius:5px;padding:0 .35rem;margin-left:.5rem}
.role.primary{color:var(--accent);border-color:var(--accent)}
.forest .interval{width:46%;padding:0 0 0 .7rem}
.forest td.interval{border-bottom-color:var(--grid)}
.forest svg{display:block;overflow:visible}
.bar-cell{width:38%;padding-right:0}
.bar-cell svg,.funnel svg{display:block}
svg text{fill:var(--muted);font-size:12px}
.zero{stroke:var(--muted);stroke-width:1}
.tolerance{fill:var(--warn);opacity:.16}
.mark line{stroke:var(--muted);stroke-width:2}.mark .bar{stroke-width:3}.mark circle{fill:var(--muted);stroke:var(--card);stroke-width:1.5}.mark text{fill:var(--muted)}
.mark.bad line{stroke:var(--bad)}.mark.bad circle,.mark.bad text{fill:var(--bad)}
.mark.good line{stroke:var(--good)}.mark.good circle,.mark.good text{fill:var(--good)}
.fill{fill:var(--accent)}.track{fill:var(--track)}.promise{stroke:var(--ink);stroke-width:2.5}
.frame{display:grid;grid-template-columns:4rem minmax(0,1fr);padding-right:1rem}
.frame-y{width:4rem;overflow:visible}.frame-plot{display:block;overflow:visible}.frame-x{grid-column:2;overflow:visible}
.frame-label{grid-column:2;text-align:center;color:var(--muted);font-size:.82rem;margin:.1rem 0 0}
.frame .box{overflow:hidden}
.grid{stroke:var(--grid)}
.band{fill:var(--band);fill-opacity:.17}.effect{fill:none;stroke:var(--band);stroke-width:2.5;vector-effect:non-scaling-stroke}
.band.bad{fill:var(--bad)}.effect.bad{stroke:var(--bad)}.band.good{fill:var(--good)}.effect.good{stroke:var(--good)}
.last{fill:var(--band);stroke:var(--card);stroke-width:2}.last.bad{fill:var(--bad)}.last.good{fill:var(--good)}
.faded :is(path,rect,circle,line){filter:grayscale(1);opacity:.5}
.one-look{stroke:var(--band);stroke-width:3}.one-look.bad{stroke:var(--bad)}.one-look.good{stroke:var(--good)}
.limit{stroke:var(--warn);stroke-dasharray:5 4}.limit-words{fill:var(--warn)}
.decided{stroke:var(--ink);stroke-dasharray:2 3}.decided-words{fill:var(--ink);font-weight:600}
.curve{fill:none;stroke-width:2.5;vector-effect:non-scaling-stroke}.curve.dashed{stroke-dasharray:7 4}
.live{margin:0 0 0 auto;color:var(--muted);font-size:.88rem;font-variant-numeric:tabular-nums}.live.bad{color:var(--bad);font-weight:600}
.frame-title{margin:.6rem 0 .2rem 4rem;font-size:.82rem;color:var(--muted)}
path.error{stroke:none;fill-opacity:.14}
input[type=password],input[type=search]{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--muted);border-radius:8px;padding:.35rem .7rem;max-width:100%}
button{font:inherit;font-weight:600;color:var(--card);background:var(--accent);border:0;border-radius:8px;padding:.4rem 1rem;cursor:pointer}
.gains{fill:var(--good)}.losses{fill:var(--bad)}.rises{fill:var(--band)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:.3rem 0 0 4rem;padding:0;font-size:.88rem}
.legend li::before{content:'';display:inline-block;width:.8rem;height:.8rem;border-radius:3px;margin-right:.4rem;vertical-align:-.05em}
.columns>*{min-width:0}.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 2.5rem}
.columns h3:first-child{margin-top:.3rem}
.funnel{list-style:none;margin:0 0 .8rem;padding:0}.funnel li{margin:.35rem 0}
.funnel-words{display:flex;justify-content:space-between;gap:1rem;font-size:.9rem;font-variant-numeric:tabular-nums}
.switches{display:flex;flex-wrap:wrap;gap:.4rem 2rem}
.switch{border:0;padding:0;margin:0 0 .8rem;min-width:0}
.switch legend{float:left;padding:.2rem .7rem .2rem 0;color:var(--muted);font-size:.88rem}
.switch span{display:inline-block;max-width:100%;margin:0 .3rem .3rem 0}
.switch input{position:absolute;opacity:0}
.switch label{display:inline-block;padding:.15rem .7rem;border:1px solid var(--line);border-radius:99px;background:var(--card);cursor:pointer;font-size:.88rem}
.switch input:checked+label{background:var(--accent);border-color:var(--accent);color:var(--card)}
.switch input:focus-visible+label{outline:3px solid var(--accent);outline-offset:2px}
a.choice{display:inline-block;max-width:100%;padding:.15rem .7rem;margin:0 .3rem .3rem 0;border:1px solid var(--line);border-radius:99px;background:var(--card);color:var(--ink);text-decoration:none;font-size:.88rem}
a.choice[aria-current]{background:var(--accent);border-color:var(--accent);color:var(--card)}
a.choice:hover{border-color:var(--accent)}
.legend-words{display:inline-block;padding:.2rem .7rem .2rem 0;color:var(--muted);font-size:.88rem}
.top .switch{margin:0;font-size:.9em}.top .legend-words{display:none}.top a.choice{padding:0 .55rem;margin:0 .15rem 0 0;font-size:.8rem}
.filter{margin:0 0 .7rem;display:flex;flex-wrap:wrap;align-items:center;gap:.4rem .6rem}.filter label{color:var(--muted);font-size:.88rem}
.pages a{margin-left:.8rem}
thead a{color:inherit;text-decoration:none;border-bottom:1px dotted var(--muted)}thead a:hover,th[aria-sort] a{color:var(--ink)}
tr[aria-current] th{border-left:3px solid var(--accent);padding-left:.5rem}
.cohort-table .interval{width:30%;min-width:9rem}.cohort-table td{vertical-align:middle}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--accent);font-size:.92rem;padding:.2rem 0}
.lists>details{border-top:1px solid var(--line);margin:0}.one-list summary{color:var(--ink);padding:.35rem 0}.one-list summary>span{margin-right:.7rem}.when{font-variant-numeric:tabular-nums;white-space:nowrap}tr.used td,tr.used th{background:var(--good-soft)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.save{display:inline-block;border:1px solid var(--accent);border-radius:8px;padding:.35rem .9rem;text-decoration:none;font-weight:550}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
${shades()}
${series()}
@media (max-width:44rem){.roomy,.minor{display:none}.forest .interval{width:42%;padding-right:1.2rem}td code,.forest tbody th{overflow-wrap:anywhere}.frame{grid-template-columns:3.2rem minmax(0,1fr);padding-right:.6rem}.frame-y{width:3.2rem}.role{display:block;width:fit-content;margin-left:0}.legend{margin-left:0}.frame-title{margin-left:3.2rem}}
@page{size:A4;margin:14mm}
@media print{.live,.filter,.pages,a.choice:not([aria-current]){display:none}body{font-size:10pt}.page{padding:0;max-width:none}.card{break-inside:auto;border-color:#bbb;padding:.7rem .9rem}figure,tr,.tiles div,.finding{break-inside:avoid}h2,h3{break-after:avoid}.switch,.save,nav,summary{display:none}.scroll{overflow:visible}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
