/** Measures how well a field's name fits a canonical field, from 0 (not at all) to 1. */

export type Canonical =
  | 'requestId'
  | 'items'
  | 'itemId'
  | 'ts'
  | 'userId'
  | 'sessionId'
  | 'variant'
  | 'action'
  | 'value'
  | 'position'
  | 'score'
  | 'propensity'
  | 'eventId'
  | 'surface'
  | 'category'
  | 'offset'
  | 'model'
  | 'clicked';

/** Names without separators, in lower case; the best one first. */
const NAMES: Readonly<Record<Canonical, readonly string[]>> = {
  requestId:
    'requestid recommendationid displayid queryid impressionid searchid listviewid responseid attributiontoken servingid recid reqid request recommendation query impression rid qid search listid traceid correlationid serveid slateid pageviewid req rec list trace id'.split(
      ' ',
    ),
  items:
    'items products results hits slate recommendations list ranking documents docs articles productids itemids itemlist shown candidates ids movies offers'.split(
      ' ',
    ),
  itemId:
    'itemid productid sku skuid id adid newsid item product asin docid documentid articleid contentid objectid movieid offerid listingid videoid trackid pid doc document article content object movie offer listing video track song gtin ean hotel job code'.split(
      ' ',
    ),
  ts: 'ts timestamp eventtime time at occurredat shownat servedat clickedat eventtimestamp eventts servedts datetime date when createdat created sentat loggedat receivedat derivedtstamp updatedat tstamp epoch unixtime tsms timeframe timeoffset elapsed elapsedtime elapsedms t'.split(
    ' ',
  ),
  userId:
    'userid user uid customerid visitorid userpseudoid anonymousid clientid memberid customer visitor client member deviceid usertoken accountid domainuserid person personid profileid cookie cookieid device account kunde nutzer benutzer utilisateur usuario cliente acct kundennr kundenid kundennummer viewer viewerid shopper shopperid reader readerid listener cookieuid distinctid u'.split(
      ' ',
    ),
  sessionId: 'sessionid session sid visitid domainsessionid visit'.split(' '),
  variant:
    'variant arm experimentvariant treatment group abgroup abvariant bucket testgroup experimentgroup cell branch policy variation ab'.split(
      ' ',
    ),
  action:
    'action eventtype event actionname eventname interaction interactiontype type kind verb feedback feedbacktype aktion ereignis name'.split(
      ' ',
    ),
  value: 'value price revenue rating stars amount eventvalue quantity dwell'.split(' '),
  position: 'position rank pos slot index idx place ordinal'.split(' '),
  score: 'score relevance prediction predicted pctr probability prob'.split(' '),
  propensity: 'propensity propensityscore pscore'.split(' '),
  eventId: 'eventid messageid insertid eventuuid uuid'.split(' '),
  surface: 'surface page placement widget context channel location pagetype listname application'.split(' '),
  category: 'category itemcategory genre department'.split(' '),
  offset: 'offset'.split(' '),
  model: 'model modelname algorithm algo ranker'.split(' '),
  clicked:
    'clicked click isclicked isclick wasclicked clicks label geklickt angeklickt klick clic clique cliccato clicado'.split(
      ' ',
    ),
};

/** Types that Avro's JSON writes around a nullable value: `{"user_id": {"string": "ann"}}`. */
const UNION: ReadonlySet<string> = new Set(['string', 'int', 'long', 'double', 'float', 'boolean', 'array']);

/**
 * How well a path fits. The last segment counts most, and the one before it can be a part of the name: `/rec/id` and `/rec.id` are also read as
 * `recid`.
 */
export function nameFit(path: string, canonical: Canonical): number {
  const steps = path
    .replaceAll('[]', '')
    .split(/[/.]/)
    .filter((step, i, all) => step !== '' && !(i === all.length - 1 && i > 1 && UNION.has(step)));
  const names = steps.map(plain);
  const last = names[names.length - 1] ?? '';
  const two = `${names[names.length - 2] ?? ''}${last}`;
  return Math.max(
    nearness(last, canonical),
    0.97 * nearness(two, canonical),
    names.length > 1 && last === 'id' ? 0.9 * nearness(names[names.length - 2], canonical) : 0,
    0.9 * nearnessOfId(inEnglish(steps[steps.length - 1] ?? ''), canonical),
  );
}

function nearness(name: string, canonical: Canonical): number {
  const names = NAMES[canonical];
  const at = names.indexOf(name);
  if (at >= 0) return 1 - (0.6 * at) / names.length;
  const ending = names.findIndex((known) => known.length >= 4 && name.endsWith(known));
  return ending < 0 ? 0 : 0.6 - (0.4 * ending) / names.length;
}

/**
 * Number and code are other words for id, and may come first: `article_no`, `codigo_producto`. But a query may have both a number
 * and an id.
 */
function nearnessOfId(name: string, canonical: Canonical): number {
  const isNumbered = canonical === 'itemId' || canonical === 'userId';
  const last = isNumbered ? name.replace(/(.{3,})(?:no|nr|num|number|nummer|numero|code)$/, '$1id') : name;
  const first = name.replace(
    isNumbered ? /^(?:id|no|nr|num|number|nummer|numero|code)(.{3,})$/ : /^id(.{3,})$/,
    '$1id',
  );
  const others = [last, first].filter((other) => other !== name).map((other) => 0.7 * nearness(other, canonical));
  return Math.max(nearness(name, canonical), ...others);
}

/** Words of German, French, Spanish, Italian, Portuguese and Dutch, without accents, in English. */
const ENGLISH: ReadonlyMap<string, string> = new Map(
  Object.entries({
    article: 'artikel articulo articolo artigo',
    product: 'produkt producto produit prodotto produto',
    products: 'produkte productos produits prodotti produtos producten articulos articoli artigos',
    results: 'ergebnisse treffer resultados resultats risultati resultaten',
    list: 'liste lista lijst',
    request: 'anfrage requete solicitud richiesta verzoek aanvraag',
    search: 'suche recherche busqueda busca ricerca zoekopdracht',
    time: 'zeit uhrzeit heure hora ora tijd',
    timestamp: 'zeitstempel zeitpunkt horodatage tijdstip',
    date: 'datum fecha',
    user: 'klant utente gebruiker usuario utilisateur',
    action: 'accion azione acao actie',
    event: 'evento evenement gebeurtenis vorgang',
    type: 'tipo typ',
    position: 'posicion posizione posicao positie platz rang',
    variant: 'variante',
    group: 'gruppe grupo groupe gruppo groep',
    session: 'sitzung sesion sessione sessao sessie',
    rating: 'bewertung puntuacion valutazione avaliacao beoordeling',
    stars: 'sterne estrellas etoiles estrelas sterren',
    code: 'codigo codice cod',
  }).flatMap(([english, words]) => words.split(' ').map((word) => [word, english] as const)),
);
/** Words that may begin a compound, as in Artikelnummer. */
const FIRST = new RegExp(`^(${[...ENGLISH.keys()].filter((word) => word.length >= 5).join('|')})`);

function inEnglish(name: string): string {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .map(plain)
    .map((word) => ENGLISH.get(word) ?? word.replace(FIRST, (first) => ENGLISH.get(first) ?? first))
    .join('');
}

/** The name without separators, capitals and accents. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^\p{L}\p{Nd}]/gu, '');
}

const PURCHASE =
  /purchase|order|buy|bought|checkout|transaction|conversion|booking|subscribe|kauf|bestell|gekocht|achat|achet|commande|compra|acquist|pedido|aankoop/;
const LIKING =
  /cart|basket|warenkorb|wishlist|favou?rite|save|like|share|follow|download|panier|carrito|carrello|carrinho|winkelwagen|merkzettel|merkliste/;
const SIGHT =
  /impression|view|seen|exposure|hover|scroll|render|impresion|impressao|affichage|anzeige|einblendung|visualiza|vertoning|shown|served|displayed/;
const CLICK = /cli[ckq]|kli[ck]|select|tap|open|play|watch|listen|read|visit/;

/** The usual grade of an action, by its name; undefined: unknown. */
export function usualGrade(action: string): number | 'veto' | 'rating' | undefined {
  const name = plain(action);
  if (PURCHASE.test(name)) return 3;
  if (/remove|unlike|unsave/.test(name)) return undefined;
  if (/dislike|hide|block|report|skip|notinterested/.test(name)) return 'veto';
  if (LIKING.test(name)) return 2;
  if (/rating|rate$|stars|review|bewertung/.test(name)) return 'rating';
  if (/viewitemlist/.test(name)) return 0;
  if (/details?$|detailview|viewdetail|viewitem|itemview|viewproduct|productview/.test(name)) return 1;
  if (SIGHT.test(name) && !/cli[ckq]|kli[ck]/.test(name)) return 0;
  if (CLICK.test(name)) return 1;
  return undefined;
}
