from primefourier.lab.training import TRAINERS, make_examples
from small_models import small_config


def test_every_trainer_gives_a_model_and_a_count_for_each_epoch() -> None:
    config = small_config(epochs=3)
    for train in TRAINERS.values():
        trained = train(config, make_examples(config))
        assert len(trained.correct) == 3
        assert all(isinstance(count, int) for count in trained.correct)
        assert sum(p.numel() for p in trained.model.parameters()) > 0
