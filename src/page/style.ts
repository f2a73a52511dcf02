import { CHART_STYLE, SERIES, variables } from '../charts/palette.ts';

/** The opacity of each step, in hundredths. */
const SHADES = ['00', '06', '12', '18', '24', '30'];

function shades(): string {
  return [1, 2, 3, 4, 5]
    .map(
      (step) =>
        `.worse-${step}{background:rgba(var(--worse),0.${SHADES[step]})}.better-${step}{background:rgba(var(--better),0.${SHADES[step]})}`,
    )
    .join('\n');
}

function legends(): string {
  return SERIES.map((_, i) => `li.series-${i}::before{background:var(--s${i})}`).join('\n');
}

/** The style of the report and the page: light or dark as the reader's system is, from phones to wide screens, and on paper. */
export const STYLE = `:root{color-scheme:light dark;${variables('light')}}
@media (prefers-color-scheme:dark){:root{${variables('dark')}}}
:root[data-theme=light]{color-scheme:light;${variables('light')}}
:root[data-theme=dark]{color-scheme:dark;${variables('dark')}}
@media print{:root,:root[data-theme]{color-scheme:light;${variables('light')};--ground:#fff}}
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
.fill{fill:var(--accent)}.track{fill:var(--track)}.promise{stroke:var(--ink);stroke-width:2.5}
.frame{display:grid;grid-template-columns:4rem minmax(0,1fr);padding-right:1rem}
.frame-y{width:4rem;overflow:visible}.frame-plot{display:block;overflow:visible}.frame-x{grid-column:2;overflow:visible}
.frame-label{grid-column:2;text-align:center;color:var(--muted);font-size:.82rem;margin:.1rem 0 0}
.frame .box{overflow:hidden}
.faded :is(path,rect,circle,line){filter:grayscale(1);opacity:.5}
.live{margin:0 0 0 auto;color:var(--muted);font-size:.88rem;font-variant-numeric:tabular-nums}.live.bad{color:var(--bad);font-weight:600}
.frame-title{margin:.6rem 0 .2rem 4rem;font-size:.82rem;color:var(--muted)}
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
${CHART_STYLE}${legends()}
@media (max-width:44rem){.roomy,.minor{display:none}.forest .interval{width:42%;padding-right:1.2rem}td code,.forest tbody th{overflow-wrap:anywhere}.frame{grid-template-columns:3.2rem minmax(0,1fr);padding-right:.6rem}.frame-y{width:3.2rem}.role{display:block;width:fit-content;margin-left:0}.legend{margin-left:0}.frame-title{margin-left:3.2rem}}
@page{size:A4;margin:14mm}
@media print{.live,.filter,.pages,a.choice:not([aria-current]){display:none}body{font-size:10pt}.page{padding:0;max-width:none}.card{break-inside:auto;border-color:#bbb;padding:.7rem .9rem}figure,tr,.tiles div,.finding{break-inside:avoid}h2,h3{break-after:avoid}.switch,.save,nav,summary{display:none}.scroll{overflow:visible}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;
