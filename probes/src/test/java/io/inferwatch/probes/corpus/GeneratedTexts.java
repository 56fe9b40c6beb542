package io.inferwatch.probes.corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Texts in seven languages whose personal data is known, since it was put there: sentences with places to fill, and sentences full of what only looks like it. Names are frequent ones of the offices of statistics, written down for this purpose; the lists
 * that the code under test has are not asked.
 */
final class GeneratedTexts {
    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)}");

    /** A text and what was put into it. */
    record Text(String text, List<Span> data) {}

    /** Of one language. */
    record Language(
            List<String> first,
            List<String> last,
            List<String> phones,
            List<String> sentences,
            List<String> innocent) {}

    static final Map<String, Language> LANGUAGES = Map.of(
            "en",
                    new Language(
                            List.of(
                                    "Olivia",
                                    "Amelia",
                                    "Noah",
                                    "Oliver",
                                    "George",
                                    "Isla",
                                    "Mohammed",
                                    "Emma",
                                    "James",
                                    "Charlotte",
                                    "Harper",
                                    "Ethan",
                                    "Priya",
                                    "Sarah"),
                            List.of(
                                    "Smith",
                                    "Jones",
                                    "Taylor",
                                    "Brown",
                                    "Patel",
                                    "Walker",
                                    "Wright",
                                    "Thompson",
                                    "Hughes",
                                    "O'Connor",
                                    "Nguyen",
                                    "Baker",
                                    "Okafor"),
                            List.of(
                                    "(212) 555-0147",
                                    "+1 415-555-2671",
                                    "+44 20 7946 0958",
                                    "020 7946 0958",
                                    "650-253-0000"),
                            List.of(
                                    "Please forward the invoice to {name}, who sits on the third floor.",
                                    "My name is {name} and I cannot log in to my account {mail} any more.",
                                    "Dear {first}, thank you for calling us back at {phone} yesterday.",
                                    "Write a polite reminder to Mr. {last} about the late payment.",
                                    "Charge the card {card} and send the receipt to {mail}.",
                                    "Our server at {ip} refuses the key {key}; can you see why?",
                                    "Summarise the call that {name} had with the supplier on Tuesday.",
                                    "Call {first} at {phone} before noon and ask for the contract."),
                            List.of(
                                    "Will the new release of Python 3.12 run on Windows Server in May?",
                                    "Translate this sentence: The Golden Gate Bridge is in San Francisco.",
                                    "Order 4539 1488 0343 6468 was shipped on 2024-05-17 from New York.",
                                    "Explain how Kubernetes schedules pods, and what Apache Kafka does with offsets.",
                                    "Mark the cells from A1 to C20 and sum 1,204.50 and 99.95 in Excel.",
                                    "The commit 3f2a9c1 broke the build in version 2.14.1-rc3 on Monday.")),
            "de",
                    new Language(
                            List.of(
                                    "Hannah",
                                    "Lukas",
                                    "Leon",
                                    "Johanna",
                                    "Katharina",
                                    "Jürgen",
                                    "Stefan",
                                    "Sabine",
                                    "Andreas",
                                    "Ayşe",
                                    "Markus",
                                    "Friederike"),
                            List.of(
                                    "Müller",
                                    "Schmidt",
                                    "Schneider",
                                    "Wagner",
                                    "Becker",
                                    "Hoffmann",
                                    "Schäfer",
                                    "Yılmaz",
                                    "Köhler",
                                    "Zimmermann",
                                    "Brandt"),
                            List.of("+49 30 901820", "030 901820", "+49 171 2345678", "0171 2345678", "+43 1 4000"),
                            List.of(
                                    "Bitte leite die Rechnung an {name} weiter, sie sitzt im dritten Stock.",
                                    "Ich heiße {name} und komme mit {mail} nicht mehr in mein Konto.",
                                    "Liebe {first}, danke für deinen Rückruf unter {phone} gestern.",
                                    "Schreibe eine höfliche Mahnung an Herrn {last} wegen der offenen Rechnung.",
                                    "Belaste die Karte {card} und schicke den Beleg an {mail}.",
                                    "Der Server {ip} nimmt den Schlüssel {key} nicht an, warum?",
                                    "Mit freundlichen Grüßen\n{name}"),
                            List.of(
                                    "Der Wetterbericht verspricht für Samstag Sonne über der Lüneburger Heide.",
                                    "Übersetze den Satz: Die Bundesregierung tagt am Montag in Berlin.",
                                    "Bestellung 20240517-4711 kostet 1.204,50 Euro und kommt im Mai.",
                                    "Erkläre die Mehrwertsteuer und den Vorsteuerabzug für kleine Unternehmen.",
                                    "Welche Vorteile hat die Deutsche Bahn gegenüber dem Auto im Winter?")),
            "fr",
                    new Language(
                            List.of(
                                    "Camille",
                                    "Léa",
                                    "Julien",
                                    "Nathalie",
                                    "Thierry",
                                    "Chloé",
                                    "Mathieu",
                                    "Amandine",
                                    "Olivier",
                                    "Fatima",
                                    "Guillaume"),
                            List.of(
                                    "Martin",
                                    "Bernard",
                                    "Dubois",
                                    "Lefebvre",
                                    "Moreau",
                                    "Girard",
                                    "Benali",
                                    "Fournier",
                                    "Chevalier",
                                    "Garnier",
                                    "Le Gall"),
                            List.of("+33 1 42 68 53 00", "01 42 68 53 00", "06 12 34 56 78", "+33 6 12 34 56 78"),
                            List.of(
                                    "Transmettez la facture à {name}, qui travaille au troisième étage.",
                                    "Je m'appelle {name} et mon adresse {mail} ne marche plus.",
                                    "Bonjour {first}, merci de me rappeler au {phone} demain matin.",
                                    "Rédige une relance polie pour Madame {last} à propos du paiement.",
                                    "Débitez la carte {card} et envoyez le reçu à {mail}.",
                                    "Le serveur {ip} refuse la clé {key}, pourquoi ?",
                                    "Cordialement,\n{name}"),
                            List.of(
                                    "Quelle est la capitale de la Nouvelle-Zélande et combien d'habitants compte-t-elle ?",
                                    "Traduisez : le Parlement européen siège à Strasbourg chaque mois.",
                                    "La commande 2024-0517-99 coûte 1 204,50 euros, livraison en mai.",
                                    "Explique la taxe sur la valeur ajoutée pour une petite entreprise.")),
            "es",
                    new Language(
                            List.of(
                                    "María",
                                    "Antonio",
                                    "Lucía",
                                    "Javier",
                                    "Carmen",
                                    "Alejandro",
                                    "Paula",
                                    "Sergio",
                                    "Marta",
                                    "Raúl",
                                    "Ximena"),
                            List.of(
                                    "García",
                                    "Fernández",
                                    "González",
                                    "Rodríguez",
                                    "Sánchez",
                                    "Moreno",
                                    "Muñoz",
                                    "Álvarez",
                                    "Navarro",
                                    "Iglesias",
                                    "Quispe"),
                            List.of("+34 91 123 45 67", "912 345 678", "+34 612 345 678", "612 345 678"),
                            List.of(
                                    "Envía la factura a {name}, que trabaja en la tercera planta.",
                                    "Me llamo {name} y no puedo entrar en mi cuenta {mail}.",
                                    "Hola {first}, gracias por llamarme al {phone} ayer.",
                                    "Escribe un recordatorio amable para la señora {last} sobre el pago.",
                                    "Cobra la tarjeta {card} y manda el recibo a {mail}.",
                                    "El servidor {ip} rechaza la clave {key}, ¿por qué?",
                                    "Saludos cordiales,\n{name}"),
                            List.of(
                                    "¿Cuál es la capital de Nueva Zelanda y cuántos habitantes tiene?",
                                    "Traduce: el Congreso de los Diputados se reúne el martes en Madrid.",
                                    "El pedido 2024-0517-99 cuesta 1.204,50 euros y llega en mayo.",
                                    "Explica el impuesto sobre el valor añadido para una empresa pequeña.")),
            "it",
                    new Language(
                            List.of(
                                    "Giulia",
                                    "Francesco",
                                    "Alessandro",
                                    "Chiara",
                                    "Matteo",
                                    "Francesca",
                                    "Lorenzo",
                                    "Sara",
                                    "Davide",
                                    "Ludovica"),
                            List.of(
                                    "Rossi",
                                    "Russo",
                                    "Ferrari",
                                    "Esposito",
                                    "Bianchi",
                                    "Romano",
                                    "Colombo",
                                    "De Luca",
                                    "Gallo",
                                    "Santoro"),
                            List.of("+39 06 6982", "06 698 83712", "+39 347 123 4567", "347 123 4567"),
                            List.of(
                                    "Inoltra la fattura a {name}, che lavora al terzo piano.",
                                    "Mi chiamo {name} e non riesco a entrare con {mail}.",
                                    "Ciao {first}, grazie per avermi richiamato al {phone} ieri.",
                                    "Scrivi un sollecito cortese al signor {last} per il pagamento.",
                                    "Addebita la carta {card} e manda la ricevuta a {mail}.",
                                    "Il server {ip} rifiuta la chiave {key}, perché?",
                                    "Cordiali saluti,\n{name}"),
                            List.of(
                                    "Qual è la capitale della Nuova Zelanda e quanti abitanti ha?",
                                    "Traduci: la Camera dei Deputati si riunisce martedì a Roma.",
                                    "L'ordine 2024-0517-99 costa 1.204,50 euro e arriva a maggio.",
                                    "Spiega l'imposta sul valore aggiunto per una piccola impresa.")),
            "pt",
                    new Language(
                            List.of(
                                    "Beatriz",
                                    "Tiago",
                                    "Mariana",
                                    "Rafael",
                                    "Gabriela",
                                    "Gustavo",
                                    "Camila",
                                    "Rodrigo",
                                    "Larissa",
                                    "João"),
                            List.of(
                                    "Silva",
                                    "Santos",
                                    "Oliveira",
                                    "Pereira",
                                    "Costa",
                                    "Ribeiro",
                                    "Carvalho",
                                    "Almeida",
                                    "Nascimento",
                                    "Araújo"),
                            List.of("+351 21 123 4567", "+55 11 2345-6789", "+55 11 91234-5678"),
                            List.of(
                                    "Envie a fatura para {name}, que trabalha no terceiro andar.",
                                    "Meu nome é {name} e não consigo entrar com {mail}.",
                                    "Olá {first}, obrigado por ligar para {phone} ontem.",
                                    "Escreva um lembrete gentil à senhora {last} sobre o pagamento.",
                                    "Cobre o cartão {card} e mande o recibo para {mail}.",
                                    "O servidor {ip} recusa a chave {key}, por quê?",
                                    "Atenciosamente,\n{name}"),
                            List.of(
                                    "Qual é a capital da Nova Zelândia e quantos habitantes tem?",
                                    "Traduza: o Congresso Nacional reúne-se na terça em Brasília.",
                                    "O pedido 2024-0517-99 custa 1.204,50 euros e chega em maio.",
                                    "Explique o imposto sobre o valor acrescentado para uma empresa pequena.")),
            "nl",
                    new Language(
                            List.of(
                                    "Sanne", "Daan", "Lotte", "Thijs", "Femke", "Bram", "Marieke", "Jeroen", "Anouk",
                                    "Youssef"),
                            List.of(
                                    "de Jong",
                                    "Jansen",
                                    "de Vries",
                                    "van den Berg",
                                    "Bakker",
                                    "Visser",
                                    "Smit",
                                    "Meijer",
                                    "Mulder",
                                    "El Amrani"),
                            List.of("+31 20 624 1111", "+31 6 12345678"),
                            List.of(
                                    "Stuur de factuur naar {name}, die op de derde verdieping werkt.",
                                    "Mijn naam is {name} en ik kan met {mail} niet meer inloggen.",
                                    "Beste {first}, bedankt voor het terugbellen op {phone} gisteren.",
                                    "Schrijf een vriendelijke herinnering aan meneer {last} over de betaling.",
                                    "Belast de kaart {card} en stuur de bon naar {mail}.",
                                    "De server {ip} weigert de sleutel {key}, waarom?",
                                    "Met vriendelijke groet,\n{name}"),
                            List.of(
                                    "Wat is de hoofdstad van Nieuw-Zeeland en hoeveel inwoners heeft die?",
                                    "Vertaal: de Tweede Kamer vergadert dinsdag in Den Haag.",
                                    "Bestelling 2024-0517-99 kost 1.204,50 euro en komt in mei.",
                                    "Leg de belasting over de toegevoegde waarde uit aan een klein bedrijf.")));

    private final Language language;
    private final SplittableRandom random;

    GeneratedTexts(Language language, long seed) {
        this.language = language;
        this.random = new SplittableRandom(seed);
    }

    /** A few sentences, with personal data in some. */
    Text next() {
        StringBuilder text = new StringBuilder();
        List<Span> data = new ArrayList<>();
        int sentences = 2 + random.nextInt(3);
        for (int i = 0; i < sentences; i++) {
            String sentence = any(random.nextInt(5) < 3 ? language.sentences() : language.innocent());
            Matcher places = PLACE.matcher(sentence);
            int at = 0;
            while (places.find()) {
                text.append(sentence, at, places.start());
                int start = text.length();
                text.append(value(places.group(1)));
                data.add(new Span(start, text.length(), kind(places.group(1))));
                at = places.end();
            }
            text.append(sentence, at, sentence.length()).append('\n');
        }
        return new Text(text.toString(), data);
    }

    private static PersonalData kind(String place) {
        return switch (place) {
            case "name", "first", "last" -> PersonalData.NAME;
            case "mail" -> PersonalData.MAIL;
            case "phone" -> PersonalData.PHONE;
            case "card" -> PersonalData.CARD;
            case "ip" -> PersonalData.IP;
            case "key" -> PersonalData.KEY;
            default -> throw new IllegalArgumentException(place);
        };
    }

    private String value(String place) {
        return switch (place) {
            case "first" -> any(language.first());
            case "last" -> any(language.last());
            case "name" -> any(language.first()) + " " + any(language.last());
            case "mail" ->
                any(List.of("anna.b", "jk_1987", "info+shop", "jürgen", "m-l.o")) + "@"
                        + any(List.of(
                                "example.com",
                                "mail.example.co.uk",
                                "post.example",
                                "bücher.example",
                                "firma-x.example.org"));
            case "phone" -> any(language.phones());
            case "card" -> card();
            case "ip" ->
                random.nextInt(3) > 0
                        ? "10." + random.nextInt(256) + "." + random.nextInt(256) + "." + random.nextInt(256)
                        : any(List.of("2001:db8::8a2e:370:7334", "fe80::1", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"));
            case "key" ->
                any(List.of("sk-", "ghp_", "hf_"))
                        + drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 36);
            default -> throw new IllegalArgumentException(place);
        };
    }

    /** Fifteen digits and the one that makes the sum of all, every second from the right doubled, a multiple of ten. */
    private String card() {
        String digits = any(List.of("4", "51", "37")) + drawn("0123456789", 15);
        digits = digits.substring(0, 15);
        int sum = 0;
        for (int i = 0; i < 15; i++) {
            int digit = digits.charAt(14 - i) - '0';
            sum += i % 2 == 0 ? digit * 2 / 10 + digit * 2 % 10 : digit;
        }
        String number = digits + (10 - sum % 10) % 10;
        return random.nextBoolean() ? number : number.replaceAll("(\\d{4})(?=\\d)", "$1 ");
    }

    private String drawn(String alphabet, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
