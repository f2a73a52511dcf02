import { describe, expect, it } from 'vitest';
import { type Canonical, nameFit, usualGrade } from '../../src/inspect/field-names.ts';

const ALL: readonly Canonical[] = ['requestId', 'itemId', 'ts', 'userId', 'action', 'position', 'items'];

describe('the name of a field', () => {
  it.each([
    [
      'itemId',
      ['Article No', 'article_no', 'ArticleNumber', 'SKU No', 'sku_id', 'Artikel-Nr.', 'Artikelnummer', 'Product Code'],
    ],
    ['itemId', ['item_number', 'artículo', 'codigo_producto', 'produit_id', 'prodotto', 'produkt', 'produto_id']],
    ['requestId', ['Anfrage', 'anfrage_id', 'suche_id', 'recherche_id', 'id_busqueda', 'requete']],
    ['ts', ['Zeit', 'zeitstempel', 'fecha', 'heure', 'horodatage', 'datum', 'tijdstip', 'fecha_hora']],
    ['userId', ['Kunden-Nr.', 'id_cliente', 'usuario', 'klant', 'klantnummer', 'utente']],
    ['action', ['Ereignis', 'acción', 'evento', 'événement', 'tipo_evento', 'azione']],
    ['position', ['Rang', 'posición', 'Platz', 'posizione', 'positie']],
    ['items', ['Artikel_Liste', 'productos', 'produits', 'resultados', 'Ergebnisse']],
  ] as const)('says %s: %j', (as, names) => {
    const read = names.map((name) => [
      name,
      ALL.toSorted((a, b) => nameFit(`/${name}`, b) - nameFit(`/${name}`, a))[0],
    ]);
    expect(read).toEqual(names.map((name) => [name, as]));
    for (const name of names) expect(nameFit(`/${name}`, as)).toBeGreaterThanOrEqual(0.3);
  });
});

describe('the name of an action', () => {
  it.each([
    [1, ['clic', 'geklikt', 'clique', 'Klick', 'anzeige_klick', 'impression_clicked']],
    [2, ['ajout_panier', 'añadir_al_carrito', 'In den Warenkorb']],
    [3, ['achat', 'compra', 'Käufe', 'gekocht', 'bestellt', 'acquisto']],
    [0, ['impresión', 'affichage', 'Einblendung', 'items_shown', 'impressão']],
    [undefined, ['heartbeat', 'session_start', 'eclipse']],
  ] as const)('is worth %s: %j', (grade, names) => {
    expect(names.map(usualGrade)).toEqual(names.map(() => grade));
  });
});
