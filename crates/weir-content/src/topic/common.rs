/// Words of three letters and more that stand in texts about anything: English, German, French,
/// Spanish, Italian, Portuguese, Dutch. In lower case.
const COMMON: [&str; 7] = [
    "about after again against all also although always and another any are around because been \
     before being below between both but came can cannot could did does doing done down during each \
     even ever every few first for from further get gets going had has have having her here hers him \
     his how however into its itself just last less like made make makes many may might more most \
     much must myself never new next not now off often once one only other others our out over own \
     people per rather same see several she should since some still such take than that the their \
     them then there these they this those three through thus time too two under until upon use used \
     using very was way well were what when where whether which while who whom whose why will with \
     within without would year years yes yet you your said says",
    "aber alle allem allen aller alles als also andere anderen auch auf aus bei beim bereits bin bis \
     bist dabei damit danach dann daran darauf das dass dazu dem den denn der deren des dessen deshalb \
     die dies diese diesem diesen dieser dieses doch dort durch eben ein eine einem einen einer eines \
     einige einmal erst etwa etwas euch für gegen gibt haben habe hat hatte hatten hier hinter ich ihm \
     ihn ihnen ihr ihre ihrem ihren ihrer immer ins ist jede jedem jeden jeder jedes jedoch jetzt kann \
     kein keine keinen können könnte machen man mehr mein meine mit muss müssen nach nicht nichts noch \
     nun nur oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind soll sollen sollte \
     sondern sowie über und uns unser unter viel viele vom von vor war waren was weil weiter welche wenn \
     werden wie wieder will wir wird wurde wurden zum zur zwar zwei zwischen",
    "afin ainsi alors après aussi autre autres aux avant avec avoir car ceci cela celle ces cet cette \
     ceux chaque chez comme comment contre dans depuis des deux donc dont elle elles encore entre est \
     était été être eux fait faire fois ici ils jamais leur leurs lors lui mais même mes moi moins mon \
     non nos notre nous ont par parce pas pendant peu peut plus pour pourquoi quand que quel quelle \
     quelques qui sans sera ses seulement si son sont sous sur tous tout toute toutes très trop une vers \
     voir vos votre vous",
    "ahora algo alguna algunos ante antes aquí así aún aunque bien cada casi como con contra cosa cual \
     cuando cuanto del desde después donde dos durante ella ellas ellos entonces entre era eran eres esa \
     esas ese eso esos esta está están estas este esto estos fue fueron había hace hacer hacia han hasta \
     hay las les los más mejor menos mientras mis mismo mucho muchos muy nada nos nosotros nunca otra \
     otras otro otros para pero poco por porque pues que qué quien ser será siempre sin sobre sólo solo \
     son sus también tan tanto tener tiene tienen toda todas todo todos una unas uno unos vez ya",
    "alla alle allo anche ancora avere aveva bene che chi ci cioè come con contro così cosa cui dagli dal \
     dalla dalle degli dei del dell della delle dello dentro dopo dove due era erano essere fare fatto \
     fino fra gli hanno invece lei loro lui mai meno mentre molti molto nei nel nella nelle noi non \
     nostro ogni oltre ora per perché però più poi prima proprio può quale quando quanto quella quelle \
     quelli quello questa queste questi questo qui senza sempre solo sono sopra sotto stata stato stati \
     sua sue sugli sul sulla sulle suo tanto tra tutta tutte tutti tutto una uno verso voi",
    "ainda além algo alguns antes ao aos após aquela aquele aqui assim até cada com como contra das depois \
     desde dessa desse desta deste dia dois dos durante ela elas ele eles entre era essa esse esta está \
     estão este eu foi foram fora há isso isto já lhe mais mas menos mesmo muita muito muitos não nas nem \
     nessa neste nos nós nossa nosso num numa nunca onde ontem ou outra outras outro outros para pela pelas \
     pelo pelos pode por porque pouco qual quando que quem são sem sempre ser será seu seus sobre sua suas \
     também tanto tem têm ter toda todas todo todos tudo uma umas uns você vez",
    "aan alle alleen als altijd ander andere ben bij daar daarom dan dat deze die dit doen door dus een \
     eens elke enkele ergens had hadden heb hebben heeft hem hen het hier hij hoe hun iets ieder iemand \
     ik ja kan kon kunnen maar man meer meest men met mij mijn moet moeten naar nee niet niets nog nooit \
     nu ook omdat onder ons onze ooit over per reeds sinds sommige steeds tegen terwijl toch toen tot tussen \
     uit uw van vanaf veel verder via volgens voor vooral waar waarom wanneer want waren was wat weer wel \
     welke werd werden wie wij worden wordt zal zelf zeer zich zij zijn zoals zonder zou zouden",
];

/// Asked only when a topic is made of examples.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.iter().any(|words| words.split_whitespace().any(|common| common == word))
}
